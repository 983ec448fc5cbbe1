// tests/jit/cache.cpp -- the disk cache: what comes back, what does not, what is forgotten, and many users at once.

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <vector>

#include "../../jit/cache.hpp"

namespace {

using namespace sinter::detail::jit;
namespace fs = std::filesystem;

/// A variable of the environment, or none for a null, until the object ends.
struct variable {
    const char* const name;
    const std::optional<std::string> before = std::getenv(name) ? std::optional<std::string>(std::getenv(name)) : std::nullopt;

    variable(const char* name_, const char* value) : name(name_) { value ? setenv(name, value, 1) : unsetenv(name); }
    ~variable() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }
};

std::string new_folder() {
    std::string r = fs::temp_directory_path() / "sinter-cache-XXXXXX";
    REQUIRE(mkdtemp(r.data()));
    return r;
}

/// An empty cache in a temporary folder, gone with the object.
struct temporary_cache {
    const std::string parent = new_folder(), path = parent + "/cache";
    const variable folder{"SINTER_CACHE_DIR", path.c_str()}, limit{"SINTER_CACHE_BYTES", nullptr};

    ~temporary_cache() {
        std::error_code ignored;
        fs::remove_all(parent, ignored);
    }
    std::vector<std::string> files() const {
        std::vector<std::string> r;
        for (const auto& entry : fs::directory_iterator(path)) r.push_back(entry.path().string());
        return r;
    }
};

void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

cache_key key_of(const std::string& source) {
    return {"13.0", "--std=c++17 --ptxas-options=-v", 90, source};
}
machine_code code_of(std::size_t bytes) {
    machine_code r{std::string(bytes, '\0'), "k.cu(1): a warning\n", {32, 1024, 16, 8}};
    for (std::size_t i = 0; i < bytes; ++i) r.image[i] = static_cast<char>(i * 7 + i / 256);
    return r;
}
const cache_key key = key_of("extern \"C\" __global__ void k() {}\n");
const machine_code code = code_of(100);

bool is(const std::optional<machine_code>& found, const machine_code& wanted) {
    const auto parts = [](const machine_code& m) {
        const kernel_resources& r = m.resources;
        return std::tie(m.image, m.log, r.registers, r.shared_bytes, r.local_bytes, r.spill_bytes);
    };
    return found && parts(*found) == parts(wanted);
}

/// Such an entry of `key` is refused and deleted, and keeping it anew works.
bool is_refused(const std::string& path, const std::string& text) {
    write_file(path, text);
    const bool r = !cached(key) && !fs::exists(path);
    keep(key, code);
    return r && is(cached(key), code);
}

bool is_owners_alone(const std::string& folder) {
    return (fs::status(folder).permissions() & fs::perms(0077)) == fs::perms::none;
}

/// The entry of `key`, kept now: its file, and what that holds.
std::pair<std::string, std::string> kept_entry(const temporary_cache& cache) {
    keep(key, code);
    REQUIRE(cache.files().size() == 1);
    std::ifstream file(cache.files()[0], std::ios::binary);
    return {cache.files()[0], {std::istreambuf_iterator<char>(file), {}}};
}

void check_unusable(const std::string& problem) {
    CHECK(disk_cache().path.empty());
    CHECK(disk_cache().problem.find(problem) != std::string::npos);
    keep(key, code);
    CHECK(!cached(key));
    CHECK(disk_cache_bytes() == 0);
}

template <class Body>
pid_t start(const Body& body) {
    if (const pid_t child = fork()) return child;
    _exit(body());
}
int result_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("what is kept comes back identical") {
    const temporary_cache cache;
    CHECK(!cached(key));
    const std::vector<std::pair<cache_key, machine_code>> all = {
        {key, code}, {key_of("large"), code_of(3000000)}, {key_of(""), {}}, {{}, code}, {key_of("1\n1\n"), code_of(1)}};
    for (const auto& [k, c] : all) keep(k, c);
    for (const auto& [k, c] : all) CHECK(is(cached(k), c));
    keep(key, code_of(50));
    CHECK(is(cached(key), code_of(50))); // the last one kept
}

TEST_CASE("another compiler, option, architecture or source misses") {
    const temporary_cache cache;
    keep(key, code);
    for (const cache_key& other : {cache_key{"13.1", key.options, 90, key.source}, cache_key{"13.0", key.options + " ", 90, key.source},
                                   cache_key{"13.0", key.options, 89, key.source}, cache_key{"13.0", key.options, 90, key.source + "\n"},
                                   cache_key{"13.0--", key.options.substr(2), 90, key.source}})
        CHECK(!cached(other));
}

TEST_CASE("an entry cut short or changed anywhere is refused and deleted") {
    const temporary_cache cache;
    const auto [path, text] = kept_entry(cache);
    CHECK(is_refused(path, text + "\n"));
    for (std::size_t at = 0; at < text.size(); ++at) {
        CAPTURE(at);
        CHECK(is_refused(path, text.substr(0, at)));
        for (const int change : {0x01, 0x10, 0x80, 0xff}) {
            std::string damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ change);
            CHECK(is_refused(path, damaged));
        }
    }
}

TEST_CASE("the entry of another key is never taken for this one") {
    const temporary_cache cache;
    const std::string path = kept_entry(cache).first;
    const cache_key other = key_of("another");
    keep(other, code_of(60));
    for (const std::string& file : cache.files())
        if (file != path) fs::copy_file(file, path, fs::copy_options::overwrite_existing);
    CHECK(!cached(key));
    keep(key, code);
    CHECK(is(cached(key), code));
    CHECK(is(cached(other), code_of(60)));
}

TEST_CASE("the folder is where the environment says, and its owner's alone") {
    const temporary_cache cache;
    CHECK(disk_cache().path == cache.path);
    const variable none("SINTER_CACHE_DIR", nullptr), xdg("XDG_CACHE_HOME", (cache.parent + "/xdg").c_str());
    CHECK(disk_cache().path == cache.parent + "/xdg/sinter");
    const variable no_xdg("XDG_CACHE_HOME", ""), home("HOME", (cache.parent + "/home").c_str());
    CHECK(disk_cache().path == cache.parent + "/home/.cache/sinter");
    const variable no_home("HOME", nullptr);
    check_unusable("HOME");
    for (const char* const made : {"/cache", "/xdg/sinter", "/home/.cache/sinter"}) CHECK(is_owners_alone(cache.parent + made));
}

TEST_CASE("a slash at the end of the folder's name changes nothing") {
    const temporary_cache cache;
    const variable folder("SINTER_CACHE_DIR", (cache.path + "/").c_str());
    keep(key, code);
    CHECK(is_owners_alone(cache.path));
}

TEST_CASE("a folder that is none, is another's or can be written by others is not used, and the reason is given") {
    const temporary_cache cache;
    keep(key, code);
    for (const auto mode : {0720, 0702}) {
        chmod(cache.path.c_str(), static_cast<mode_t>(mode));
        check_unusable("can be written by others");
    }
    chmod(cache.path.c_str(), 0755);
    CHECK(is(cached(key), code));
    fs::create_symlink(cache.path, cache.parent + "/link");
    write_file(cache.parent + "/file", "");
    for (const std::string name : {"/link", "/file", "/file/cache", "/file/deep/cache"}) {
        const variable folder("SINTER_CACHE_DIR", (cache.parent + name).c_str());
        check_unusable(name.size() == 5 ? "is not a folder" : "cannot be made");
    }
    const bool is_given = chown(cache.path.c_str(), 12345, 12345) == 0; // else "/" is another's
    const variable folder("SINTER_CACHE_DIR", is_given ? cache.path.c_str() : "/");
    check_unusable("belongs to another user");
}

TEST_CASE("a full disk is no error, leaves no file and keeps what was there") {
    const temporary_cache cache;
    const std::size_t bytes = kept_entry(cache).second.size();
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 1, bytes}) {
        CAPTURE(room);
        const pid_t child = start([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{room, room};
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
            keep(key, code_of(101)); // one byte more than fits
            keep(key_of("another"), code_of(3000000));
            return is(cached(key), code) ? 0 : 2;
        });
        CHECK(result_of(child) == 0);
        CHECK(cache.files().size() == 1);
    }
}

TEST_CASE("a folder that cannot be written is read, and keeping is no error") {
    const temporary_cache cache;
    const std::string path = kept_entry(cache).first;
    const pid_t child = start([&] {
        // Modes do not bind the superuser, who becomes another.
        for (const std::string& own : {cache.parent, cache.path, path})
            if (geteuid() == 0 && chown(own.c_str(), 65534, 65534) != 0) return 77;
        if ((geteuid() == 0 && seteuid(65534) != 0) || chmod(cache.path.c_str(), 0500) != 0) return 77;
        keep(key, code_of(101));
        keep(key_of("another"), code);
        if (cached(key_of("another")) || !is(cached(key), code)) return 1;
        write_file(path, "damaged");
        if (cached(key)) return 2;
        setenv("SINTER_CACHE_DIR", (cache.path + "/new").c_str(), 1);
        return disk_cache().problem.find("cannot be made") != std::string::npos ? 0 : 3;
    });
    const int result = result_of(child);
    WARN_MESSAGE(result != 77, "skipped: no folder can be made read-only for this user");
    CHECK(result % 77 == 0);
    fs::permissions(cache.path, fs::perms::owner_all);
    CHECK(cache.files().size() == 1);
}

TEST_CASE("what was used longest ago is deleted while all together take more than the limit") {
    const temporary_cache cache;
    const std::vector<cache_key> keys{key_of("0"), key_of("1"), key_of("2"), key_of("3")};
    for (const std::size_t k : {0, 1, 2}) {
        keep(keys[k], code_of(1000));
        for (const std::string& file : cache.files()) fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
    }
    const std::uint64_t limit = disk_cache_bytes() + 500; // three fit
    write_file(cache.path + "/notes.txt", std::string(100000, 'x'));
    const variable bytes("SINTER_CACHE_BYTES", std::to_string(limit).c_str());
    CHECK(cached(keys[0])); // used now
    keep(keys[3], code_of(1000));
    CHECK(disk_cache_bytes() <= limit);
    CHECK(!cached(keys[1]));
    for (const std::size_t k : {0, 2, 3}) CHECK(is(cached(keys[k]), code_of(1000)));
    const variable less("SINTER_CACHE_BYTES", "100"); // than any
    keep(keys[1], code_of(1000));
    CHECK(cache.files() == std::vector{cache.path + "/notes.txt"});
}

TEST_CASE("what a process left unfinished is deleted after an hour") {
    const temporary_cache cache;
    const std::string old = kept_entry(cache).first + ".1.0.new", recent = old + ".new";
    for (const std::string& file : {old, recent}) write_file(file, "sinter");
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    keep(key, code);
    CHECK(!fs::exists(old));
    CHECK(fs::exists(recent));
}

TEST_CASE("processes and threads keep and find one entry side by side") {
    const temporary_cache cache;
    for (const bool is_small : {false, true}) { // deleted again at once
        const variable bytes("SINTER_CACHE_BYTES", is_small ? "100" : "100000000");
        const auto work = [&] {
            int wrong = 0;
            for (int round = 0; round < 100; ++round) {
                keep(key, code);
                const auto found = cached(key);
                wrong += !is(found, code) && !(is_small && !found);
            }
            return wrong != 0;
        };
        const pid_t children[] = {start(work), start(work)};
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (int k = 0; k < 8; ++k) threads.emplace_back([&] { wrong += work(); });
        for (std::thread& t : threads) t.join();
        for (const pid_t child : children) CHECK(result_of(child) == 0);
        CHECK(wrong == 0);
        for (const std::string& file : cache.files()) CHECK(file.ends_with(".kernel"));
    }
}
