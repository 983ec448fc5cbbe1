// lib/npz.cpp -- .npz files: zip archives whose members are .npy files.
//
// Of the format (PKWARE's APPNOTE) NumPy uses stored and deflated members, and zip64 for 4 GiB and more. Members are
// found by the directory at the end of the file, as NumPy does; what the directory says is checked against the file's
// size before it is used. zlib packs, unpacks and computes the checksums.

#include <algorithm>
#include <array>
#include <set>

#include <zlib.h>

#include <sinter/core/error.hpp>
#include <sinter/io/npy.hpp>

#include "file.hpp"
#include "npy.hpp"

namespace sinter::detail {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t member_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t wide_end_signature = 0x06064b50;
constexpr std::uint32_t wide_locator_signature = 0x07064b50;
constexpr std::size_t local_bytes = 30, member_bytes = 46, end_bytes = 22, wide_end_bytes = 56, wide_locator_bytes = 20;
constexpr std::uint16_t wide_extra = 1; // the extra field that holds sizes and offsets of 64 bits
constexpr std::uint32_t see_wide = 0xffffffff;
constexpr std::uint16_t stored = 0, deflated = 8;
constexpr std::uint16_t encrypted_flag = 1, utf8_flag = 1 << 11;
constexpr std::uint16_t first_of_january_1980 = 1 << 5 | 1; // as NumPy writes it, so that equal values give equal files
constexpr std::size_t chunk_bytes = std::size_t{1} << 18;
constexpr std::uint64_t greatest_ratio = 1032; // deflate spends two bits at least on 258 bytes

std::uint64_t number(const unsigned char* from, int bytes) {
    std::uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | from[i];
    return value;
}
std::uint16_t u16(const unsigned char* from) { return static_cast<std::uint16_t>(number(from, 2)); }
std::uint32_t u32(const unsigned char* from) { return static_cast<std::uint32_t>(number(from, 4)); }
std::uint64_t u64(const unsigned char* from) { return number(from, 8); }

/// Numbers of given widths, one after the other.
class record {
public:
    record& u16(std::uint64_t value) { return add(value, 2); }
    record& u32(std::uint64_t value) { return add(value, 4); }
    record& u64(std::uint64_t value) { return add(value, 8); }
    record& text(const std::string& value) {
        bytes_ += value;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    record& add(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> 8 * i & 255);
        return *this;
    }
    std::string bytes_;
};

std::uint32_t checksum(std::uint32_t so_far, const void* bytes, std::size_t count) {
    return static_cast<std::uint32_t>(crc32_z(so_far, static_cast<const Bytef*>(bytes), count));
}

/// What the directory says of one member.
struct member {
    std::string name;
    std::uint16_t flags = 0, method = stored;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0, bytes = 0, offset = 0;
};

struct directory {
    std::vector<member> members;
    std::uint64_t offset = 0; // where the directory begins and the members end
};

// ---------------------------------------------------------------------------------------------------- reading

[[noreturn]] void throw_damaged(const std::string& path, const std::string& what) {
    throw io_error(path + " is a damaged .npz file: " + what);
}

std::vector<unsigned char> bytes_at(input_file& file, std::uint64_t offset, std::uint64_t count, const char* what) {
    if (offset > file.size() || count > file.size() - offset)
        throw_damaged(file.path(), std::string(what) + " would lie beyond the end of the file");
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    file.seek(offset);
    if (count > 0) file.read(bytes.data(), bytes.size());
    return bytes;
}

/// The directory's place, as the end of the file tells it.
struct directory_place {
    std::uint64_t members, bytes, offset, end;
};

directory_place find_directory(input_file& file) {
    const std::uint64_t longest = end_bytes + 0xffff; // a comment may follow
    const std::uint64_t start = file.size() - std::min(file.size(), longest);
    const auto tail = bytes_at(file, start, file.size() - start, "the end");
    for (std::size_t at = tail.size() < end_bytes ? 0 : tail.size() - end_bytes + 1; at-- > 0;) {
        const unsigned char* end = tail.data() + at;
        if (u32(end) != end_signature || u16(end + 20) != tail.size() - at - end_bytes) continue;
        if (u16(end + 4) != 0 || u16(end + 6) != 0)
            throw_damaged(file.path(), "it is one part of an archive of several files");
        directory_place place{u16(end + 10), u32(end + 12), u32(end + 16), start + at};
        if (place.end < wide_locator_bytes) return place;
        const auto locator = bytes_at(file, place.end - wide_locator_bytes, wide_locator_bytes, "the locator");
        if (u32(locator.data()) != wide_locator_signature) return place;
        const std::uint64_t wide_at = u64(locator.data() + 8);
        const auto wide = bytes_at(file, wide_at, wide_end_bytes, "the zip64 directory's place");
        if (u32(wide.data()) != wide_end_signature)
            throw_damaged(file.path(), "no zip64 directory is where it should be");
        return {u64(wide.data() + 32), u64(wide.data() + 40), u64(wide.data() + 48), wide_at};
    }
    const auto first = bytes_at(file, 0, std::min<std::uint64_t>(file.size(), 6), "the beginning");
    if (std::string(first.begin(), first.end()) == "\x93NUMPY")
        throw io_error(file.path() + " is a .npy file, one array without a name: read it with load_npy");
    throw io_error(file.path() +
                   " is not in .npz format, or is cut short: it does not end with the directory of a zip file");
}

/// Sizes and offset beyond 32 bits, from the extra field of a directory entry.
void read_wide_fields(const std::string& path, const unsigned char* extra, std::size_t count, member& m) {
    while (count >= 4) {
        const std::size_t length = u16(extra + 2);
        if (length > count - 4) break;
        if (u16(extra) == wide_extra) {
            std::size_t at = 4;
            for (std::uint64_t* field : {&m.bytes, &m.packed, &m.offset}) {
                if (*field != see_wide) continue;
                if (at + 8 > length + 4) throw_damaged(path, "a zip64 field is too short");
                *field = u64(extra + at);
                at += 8;
            }
            return;
        }
        extra += 4 + length;
        count -= 4 + length;
    }
}

directory read_directory(input_file& file) {
    const directory_place place = find_directory(file);
    if (place.offset > place.end || place.bytes > place.end - place.offset)
        throw_damaged(file.path(), "its directory would lie beyond its end");
    const auto bytes = bytes_at(file, place.offset, place.bytes, "the directory");
    directory result;
    result.offset = place.offset;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < place.members; ++i) {
        const unsigned char* entry = bytes.data() + at;
        const std::size_t left = bytes.size() - at;
        if (left < member_bytes || u32(entry) != member_signature)
            throw_damaged(file.path(), "its directory announces " + std::to_string(place.members) +
                                           " members and holds " + std::to_string(i));
        const std::size_t name = u16(entry + 28), extra = u16(entry + 30), comment = u16(entry + 32);
        if (left - member_bytes < name + extra + comment) throw_damaged(file.path(), "a directory entry is cut short");
        member m;
        m.name.assign(entry + member_bytes, entry + member_bytes + name);
        m.flags = u16(entry + 8);
        m.method = u16(entry + 10);
        m.checksum = u32(entry + 16);
        m.packed = u32(entry + 20);
        m.bytes = u32(entry + 24);
        m.offset = u32(entry + 42);
        read_wide_fields(file.path(), entry + member_bytes + name, extra, m);
        result.members.push_back(std::move(m));
        at += member_bytes + name + extra + comment;
    }
    return result;
}

/// "x.npy" as "x"; nothing for other members.
std::string array_name(const member& m) {
    return m.name.ends_with(".npy") ? m.name.substr(0, m.name.size() - 4) : "";
}

/// The last member of that name, as in Python's zipfile.
const member& find_member(const std::string& path, const directory& all, const std::string& name) {
    for (const bool exactly : {false, true})
        for (auto m = all.members.rbegin(); m != all.members.rend(); ++m)
            if (m->name == (exactly ? name : name + ".npy")) return *m;
    std::string names;
    for (const auto& m : all.members) {
        if (names.size() > 200) {
            names += ", …";
            break;
        }
        if (!array_name(m).empty()) names += (names.empty() ? "" : ", ") + quoted(array_name(m));
    }
    throw io_error(path + " has no array " + quoted(name) + (names.empty() ? "; it has none" : "; it has " + names));
}

/// The bytes of a member, unpacked and checked.
class member_source : public byte_source {
public:
    member_source(input_file file, const member& m, std::string what)
        : byte_source(std::move(what), m.bytes), file_(std::move(file)), expected_(m.checksum), packed_left_(m.packed),
          is_deflated_(m.method == deflated), packed_(is_deflated_ ? chunk_bytes : 0) {
        if (is_deflated_ && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw out_of_memory("no memory for zlib");
    }
    ~member_source() override {
        if (is_deflated_) inflateEnd(&stream_);
    }
    member_source(const member_source&) = delete;

    void finish() override {
        unsigned char nothing = 0;
        if (is_deflated_ && (inflate_into(&nothing, 1) != 0 || stream_.avail_in != 0 || packed_left_ != 0))
            throw io_error(what() + " is damaged: it unpacks to more bytes than announced");
        if (computed_ != expected_) throw io_error(what() + " is damaged: its checksum (CRC-32) does not match");
    }

private:
    void read_some(void* to, std::size_t bytes) override {
        if (!is_deflated_)
            file_.read(to, bytes);
        else if (inflate_into(static_cast<unsigned char*>(to), bytes) != bytes)
            throw io_error(what() + " is damaged: it unpacks to fewer bytes than announced");
        computed_ = checksum(computed_, to, bytes);
    }

    /// Unpacks up to so many bytes; fewer only at the end of the packed data.
    std::size_t inflate_into(unsigned char* to, std::size_t bytes) {
        std::size_t done = 0;
        while (done < bytes && !ended_) {
            if (stream_.avail_in == 0) {
                const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(packed_.size(), packed_left_));
                if (count > 0) file_.read(packed_.data(), count);
                packed_left_ -= count;
                stream_.next_in = packed_.data();
                stream_.avail_in = static_cast<uInt>(count);
            }
            const auto room = static_cast<uInt>(std::min(bytes - done, chunk_bytes));
            stream_.next_out = to + done;
            stream_.avail_out = room;
            const int status = inflate(&stream_, Z_NO_FLUSH);
            done += room - stream_.avail_out;
            ended_ = status == Z_STREAM_END;
            if (status != Z_OK && !ended_) throw io_error(what() + " is damaged: its packed data do not make sense");
        }
        return done;
    }

    input_file file_;
    std::uint32_t expected_, computed_ = 0;
    std::uint64_t packed_left_;
    bool is_deflated_, ended_ = false;
    z_stream stream_{};
    std::vector<unsigned char> packed_; // zlib's side of the copy
};

// ---------------------------------------------------------------------------------------------------- writing

/// Writes a member's bytes, packed or not, and counts them.
class member_writer {
public:
    member_writer(output_file& file, member& m)
        : file_(file), member_(m), packed_(m.method == deflated ? chunk_bytes : 0) {
        if (m.method == deflated &&
            deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw out_of_memory("no memory for zlib");
    }
    ~member_writer() {
        if (member_.method == deflated) deflateEnd(&stream_);
    }
    member_writer(const member_writer&) = delete;

    void write(const void* from, std::size_t bytes) {
        const auto* next = static_cast<const unsigned char*>(from);
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t count = std::min(chunk_bytes, bytes - done);
            member_.checksum = checksum(member_.checksum, next + done, count);
            pack(next + done, count, Z_NO_FLUSH);
            done += count;
        }
        member_.bytes += bytes;
    }
    void finish() {
        if (member_.method == deflated) pack(nullptr, 0, Z_FINISH);
    }

private:
    void pack(const unsigned char* from, std::size_t bytes, int flush) {
        if (member_.method == stored) {
            file_.write(from, bytes);
            member_.packed += bytes;
            return;
        }
        stream_.next_in = const_cast<unsigned char*>(from); // zlib's old interface: it does not write there
        stream_.avail_in = static_cast<uInt>(bytes);
        do {
            stream_.next_out = packed_.data();
            stream_.avail_out = static_cast<uInt>(packed_.size());
            deflate(&stream_, flush);
            const std::size_t count = packed_.size() - stream_.avail_out;
            file_.write(packed_.data(), count);
            member_.packed += count;
        } while (stream_.avail_out == 0);
    }

    output_file& file_;
    member& member_;
    z_stream stream_{};
    std::vector<unsigned char> packed_;
};

std::uint64_t narrow(std::uint64_t value) {
    return std::min<std::uint64_t>(value, see_wide);
}

/// The header before a member; `wide` leaves room for sizes of 64 bits.
std::string local_header(const member& m, bool wide) {
    record r;
    r.u32(local_signature).u16(wide ? 45 : 20).u16(m.flags).u16(m.method).u16(0).u16(first_of_january_1980);
    r.u32(m.checksum).u32(wide ? see_wide : m.packed).u32(wide ? see_wide : m.bytes);
    r.u16(m.name.size()).u16(wide ? 20 : 0).text(m.name);
    if (wide) r.u16(wide_extra).u16(16).u64(m.bytes).u64(m.packed);
    return r.bytes();
}

std::string directory_entry(const member& m) {
    record wide;
    for (const std::uint64_t field : {m.bytes, m.packed, m.offset})
        if (field >= see_wide) wide.u64(field);
    const std::size_t wide_bytes = wide.bytes().size();
    const std::uint64_t version = wide_bytes > 0 ? 45 : 20;
    const std::uint64_t unix_file = 3 << 8, unix_mode = std::uint64_t{0100644} << 16;
    record r;
    r.u32(member_signature).u16(unix_file | version).u16(version).u16(m.flags).u16(m.method);
    r.u16(0).u16(first_of_january_1980).u32(m.checksum).u32(narrow(m.packed)).u32(narrow(m.bytes));
    r.u16(m.name.size()).u16(wide_bytes > 0 ? wide_bytes + 4 : 0).u16(0).u16(0).u16(0).u32(unix_mode);
    r.u32(narrow(m.offset)).text(m.name);
    if (wide_bytes > 0) r.u16(wide_extra).u16(wide_bytes).text(wide.bytes());
    return r.bytes();
}

std::string directory_end(std::uint64_t members, std::uint64_t bytes, std::uint64_t offset) {
    record r;
    if (members >= 0xffff || bytes >= see_wide || offset >= see_wide) {
        r.u32(wide_end_signature).u64(wide_end_bytes - 12).u16(3 << 8 | 45).u16(45).u32(0).u32(0);
        r.u64(members).u64(members).u64(bytes).u64(offset);
        r.u32(wide_locator_signature).u32(0).u64(offset + bytes).u32(1);
    }
    const std::uint64_t counted = std::min<std::uint64_t>(members, 0xffff);
    r.u32(end_signature).u16(0).u16(0).u16(counted).u16(counted).u32(narrow(bytes)).u32(narrow(offset)).u16(0);
    return r.bytes();
}

void write_member(output_file& file, const npz_entry& entry, member& m) {
    const std::string header = npy_header_text(entry.type(), entry.shape());
    std::size_t bytes = bytes_of(entry.type());
    for (const std::int64_t extent : entry.shape()) bytes *= static_cast<std::size_t>(extent);
    const bool wide = bytes + bytes / 1000 + (1 << 20) >= see_wide; // packing may add to what cannot be packed
    m.offset = file.position();
    const std::string place_holder = local_header(m, wide);
    file.write(place_holder.data(), place_holder.size());
    member_writer writer(file, m);
    writer.write(header.data(), header.size());
    writer.write(entry.data(), bytes);
    writer.finish();
    const std::uint64_t end = file.position();
    const std::string known = local_header(m, wide);
    file.seek(m.offset);
    file.write(known.data(), known.size());
    file.seek(end);
}

member named_member(const std::string& path, const std::string& name, compression packing) {
    member m;
    m.name = name + ".npy";
    m.method = packing == compression::deflate ? deflated : stored;
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }))
        m.flags = utf8_flag;
    if (name.empty() || name.find('\0') != std::string::npos || m.name.size() > 0xffff)
        throw io_error("cannot write " + path + ": an array cannot be named " + quoted(name) +
                       "; a name has 1 to 65531 bytes, none of them zero");
    return m;
}

} // namespace

std::unique_ptr<byte_source> open_npz_member(const std::string& path, const std::string& name) {
    input_file file(path);
    const directory all = read_directory(file);
    const member& m = find_member(path, all, name);
    const std::string what = path + ", array " + quoted(name) + ",";
    if (m.flags & encrypted_flag) throw io_error(what + " is encrypted; sinter reads plain archives");
    if (m.method != stored && m.method != deflated)
        throw io_error(what + " is packed by method " + std::to_string(m.method) +
                       "; sinter reads stored and deflated ones");
    const auto local = bytes_at(file, m.offset, local_bytes, "an array");
    if (u32(local.data()) != local_signature) throw_damaged(path, "no member is where the directory says");
    const std::size_t name_bytes = u16(local.data() + 26);
    const auto local_name = bytes_at(file, m.offset + local_bytes, name_bytes, "a name");
    if (std::string(local_name.begin(), local_name.end()) != m.name)
        throw_damaged(path, "where " + quoted(m.name) + " should be is another member");
    const std::uint64_t data = m.offset + local_bytes + name_bytes + u16(local.data() + 28);
    if (data > all.offset || m.packed > all.offset - data) throw_damaged(path, "an array would lie beyond its end");
    if (m.method == stored ? m.packed != m.bytes : m.bytes / greatest_ratio > m.packed)
        throw_damaged(path, std::to_string(m.packed) + " packed bytes cannot be " + std::to_string(m.bytes) + " bytes");
    file.seek(data);
    return std::make_unique<member_source>(std::move(file), m, what);
}

} // namespace sinter::detail

namespace sinter {

std::vector<std::string> npz_names(const std::string& path) {
    detail::input_file file(path);
    std::vector<std::string> names;
    for (const auto& m : detail::read_directory(file).members)
        if (std::string name = detail::array_name(m); !name.empty()) names.push_back(std::move(name));
    return names;
}

void save_npz(const std::string& path, std::span<const npz_entry> entries, compression packing) {
    std::vector<detail::member> members;
    std::set<std::string> names;
    for (const auto& entry : entries) {
        members.push_back(detail::named_member(path, entry.name(), packing));
        if (!names.insert(entry.name()).second)
            throw io_error("cannot write " + path + ": two arrays are named " + detail::quoted(entry.name()));
    }
    detail::output_file file(path);
    for (std::size_t i = 0; i < entries.size(); ++i) detail::write_member(file, entries[i], members[i]);
    const std::uint64_t offset = file.position();
    std::string directory;
    for (const auto& m : members) directory += detail::directory_entry(m);
    directory += detail::directory_end(members.size(), directory.size(), offset);
    file.write(directory.data(), directory.size());
    file.commit();
}

} // namespace sinter
