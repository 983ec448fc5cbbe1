// jit/emulator/stream.cpp -- entry points of the emulated driver: streams and events.

#include "state.hpp"

namespace sinter::detail::jit {

using namespace emulator;

namespace {

std::shared_ptr<stream> stream_of_any_context(driver_state& e, context& c, cu_stream handle) {
    if (!handle) return c.null_stream;
    const auto s = e.streams.find(handle);
    return s == e.streams.end() ? nullptr : s->second;
}

} // namespace

extern "C" {

int cuStreamCreate(cu_stream* handle, unsigned flags) {
    return enter_context([&](driver_state& e, context& c) -> int {
        if (!handle || flags > cu_stream_non_blocking) return cu_invalid_value;
        auto s = std::make_shared<stream>();
        s->owner = &c;
        *handle = e.new_handle<cu_stream>();
        e.streams[*handle] = std::move(s);
        return cu_success;
    });
}

int cuStreamDestroy_v2(cu_stream handle) {
    return enter_context(
        [&](driver_state& e, context&) -> int {
            const auto s = e.streams.find(handle);
            if (s == e.streams.end()) return cu_invalid_handle;
            // What it has left runs some day.
            if (!s->second->queue.empty()) s->second->owner->destroyed.push_back(s->second);
            e.streams.erase(s);
            return cu_success;
        },
        true);
}

int cuStreamSynchronize(cu_stream handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = stream_of_any_context(e, c, handle);
        if (!s) return cu_invalid_handle;
        synchronize(s);
        return s->owner->error;
    });
}

int cuStreamWaitEvent(cu_stream handle, cu_event event_handle, unsigned flags) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = stream_of_any_context(e, c, handle);
        const auto v = e.events.find(event_handle);
        if (!s || v == e.events.end()) return cu_invalid_handle;
        if (flags != 0) return cu_invalid_value;
        // The most recent record at this time; a later one is none of this wait's business.
        if (const auto m = v->second.latest; m && !m->is_done)
            enqueue(s, {"cuStreamWaitEvent", [=](context&) { run_until(*m); }, true});
        return cu_success;
    });
}

int cuEventCreate(cu_event* handle, unsigned flags) {
    return enter_context([&](driver_state& e, context& c) -> int {
        if (!handle || flags > 7) return cu_invalid_value;
        *handle = e.new_handle<cu_event>();
        e.events[*handle].owner = &c;
        return cu_success;
    });
}

int cuEventRecord(cu_event handle, cu_stream stream_handle) {
    return enter_context([&](driver_state& e, context& c) -> int {
        const auto s = stream_of_any_context(e, c, stream_handle);
        const auto v = e.events.find(handle);
        if (!s || v == e.events.end() || v->second.owner != s->owner) return cu_invalid_handle;
        const auto m = std::make_shared<marker>();
        m->where = s;
        v->second.latest = m;
        // Without the stream in what waits in the stream, which would keep both for ever.
        enqueue(s, {"cuEventRecord", [m](context&) {
            m->is_done = true;
            m->where.reset();
        }, true});
        return cu_success;
    });
}

int cuEventDestroy_v2(cu_event handle) {
    return enter_context([&](driver_state& e, context&) -> int { return e.events.erase(handle) ? cu_success : static_cast<int>(cu_invalid_handle); }, true);
}

} // extern "C"
} // namespace sinter::detail::jit
