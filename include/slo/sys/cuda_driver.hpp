// SPDX-License-Identifier: MIT
// The few calls of the CUDA driver that a copy needs, found at run time: no toolkit is asked for.

#ifndef SLO_SYS_CUDA_DRIVER_HPP
#define SLO_SYS_CUDA_DRIVER_HPP

#include <slo/base/error.hpp>
#include <slo/base/text.hpp>

#include <dlfcn.h>

#include <cstddef>
#include <string>

namespace slo::sys {

/// The driver's library, and its functions by the names of its documentation. Its ABI: the result is an int,
/// 0 for success; a device is an int; device addresses have 64 bits; all else is a pointer.
class CudaDriver {
public:
    using Address = unsigned long long;
    using Handle = void*; ///< of a context, stream or event

    /// Throws Error where the library or one of its functions is not there.
    explicit CudaDriver(const std::string& library) : library_(::dlopen(library.c_str(), RTLD_NOW))
    {
        if (!library_)
            throw Error(library, printable(::dlerror()));
        load(init_, "cuInit");
        load(error_name_, "cuGetErrorName");
        load(device_by_bus_id_, "cuDeviceGetByPCIBusId");
        load(retain_, "cuDevicePrimaryCtxRetain");
        load(set_current_, "cuCtxSetCurrent");
        load(memory_info_, "cuMemGetInfo_v2");
        load(allocate_, "cuMemAlloc_v2");
        load(allocate_pinned_, "cuMemHostAlloc");
        load(free_, "cuMemFree_v2");
        load(free_pinned_, "cuMemFreeHost");
        load(to_device_, "cuMemcpyHtoDAsync_v2");
        load(to_host_, "cuMemcpyDtoHAsync_v2");
        load(stream_create_, "cuStreamCreate");
        load(stream_wait_, "cuStreamSynchronize");
        load(event_create_, "cuEventCreate");
        load(event_record_, "cuEventRecord");
        load(event_elapsed_, "cuEventElapsedTime");
    }
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    /// Each throws Error "cuCall: CUDA_ERROR_…".
    void init() const { check(init_(0), "cuInit"); }

    /// Makes the card's primary context the one of this thread.
    void use_device(const std::string& pci_address) const
    {
        int device = 0;
        Handle context = nullptr;
        check(device_by_bus_id_(&device, pci_address.c_str()), "cuDeviceGetByPCIBusId");
        check(retain_(&context, device), "cuDevicePrimaryCtxRetain");
        check(set_current_(context), "cuCtxSetCurrent");
    }

    std::size_t free_memory_bytes() const
    {
        std::size_t free = 0, total = 0;
        check(memory_info_(&free, &total), "cuMemGetInfo");
        return free;
    }

    Address allocate(std::size_t size) const
    {
        Address address = 0;
        check(allocate_(&address, size), "cuMemAlloc");
        return address;
    }

    /// Host memory that the card reads and writes without the CPU.
    char* allocate_pinned(std::size_t size) const
    {
        void* memory = nullptr;
        check(allocate_pinned_(&memory, size, 0), "cuMemHostAlloc");
        return static_cast<char*>(memory);
    }

    void free(Address memory) const noexcept { free_(memory); }
    void free_pinned(char* memory) const noexcept { free_pinned_(memory); }

    Handle make_stream() const
    {
        constexpr unsigned non_blocking = 1;
        Handle stream = nullptr;
        check(stream_create_(&stream, non_blocking), "cuStreamCreate");
        return stream;
    }

    Handle make_event() const
    {
        Handle event = nullptr;
        check(event_create_(&event, 0), "cuEventCreate");
        return event;
    }

    void copy_to_device(Address to, const char* from, std::size_t size, Handle stream) const
    {
        check(to_device_(to, from, size, stream), "cuMemcpyHtoDAsync");
    }
    void copy_to_host(char* to, Address from, std::size_t size, Handle stream) const
    {
        check(to_host_(to, from, size, stream), "cuMemcpyDtoHAsync");
    }
    void record(Handle event, Handle stream) const { check(event_record_(event, stream), "cuEventRecord"); }
    void wait(Handle stream) const { check(stream_wait_(stream), "cuStreamSynchronize"); }

    /// Time between two recorded events, in milliseconds.
    double elapsed_ms(Handle from, Handle to) const
    {
        float ms = 0;
        check(event_elapsed_(&ms, from, to), "cuEventElapsedTime");
        return static_cast<double>(ms);
    }

private:
    template <class Function>
    void load(Function& function, const char* name) const
    {
        void* symbol = ::dlsym(library_, name);
        if (!symbol)
            throw Error(name, "not in the CUDA driver's library");
        function = reinterpret_cast<Function>(symbol);
    }

    void check(int result, const char* call) const
    {
        if (result == 0)
            return;
        const char* name = nullptr;
        error_name_(result, &name);
        throw Error(call, name ? printable(name) : "error " + std::to_string(result));
    }

    void* library_; // never closed: the driver's own threads may still run in it
    int (*init_)(unsigned) = nullptr;
    int (*error_name_)(int, const char**) = nullptr;
    int (*device_by_bus_id_)(int*, const char*) = nullptr;
    int (*retain_)(Handle*, int) = nullptr;
    int (*set_current_)(Handle) = nullptr;
    int (*memory_info_)(std::size_t*, std::size_t*) = nullptr;
    int (*allocate_)(Address*, std::size_t) = nullptr;
    int (*allocate_pinned_)(void**, std::size_t, unsigned) = nullptr;
    int (*free_)(Address) = nullptr;
    int (*free_pinned_)(void*) = nullptr;
    int (*to_device_)(Address, const void*, std::size_t, Handle) = nullptr;
    int (*to_host_)(void*, Address, std::size_t, Handle) = nullptr;
    int (*stream_create_)(Handle*, unsigned) = nullptr;
    int (*stream_wait_)(Handle) = nullptr;
    int (*event_create_)(Handle*, unsigned) = nullptr;
    int (*event_record_)(Handle, Handle) = nullptr;
    int (*event_elapsed_)(float*, Handle, Handle) = nullptr;
};

} // namespace slo::sys

#endif
