// SPDX-License-Identifier: MIT
// A CUDA driver without a card. Copies are real ones, in memory; their time is what FAKE_H2D and FAKE_D2H (GB/s) say.
// FAKE_FAIL=cuCall makes that call fail, FAKE_HANG=cuCall makes it never return, FAKE_CRASH=cuCall ends the process.
// With FAKE_HANG_AFTER=N the call hangs after N that did not.
// While it copies there is a file ./copying. The card has FAKE_FREE_MIB MiB free.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { success = 0, out_of_memory = 2, unknown = 999 };

static double last_ms;

static double setting(const char* name, double otherwise)
{
    const char* text = getenv(name);
    return text ? atof(text) : otherwise;
}

static int is(const char* name, const char* call)
{
    const char* text = getenv(name);
    return text && strcmp(text, call) == 0;
}

static int enter(const char* call)
{
    if (is("FAKE_CRASH", call))
        raise(SIGKILL);
    static int calls;
    const int hangs = is("FAKE_HANG", call) && calls++ >= (int)setting("FAKE_HANG_AFTER", 0);
    while (hangs)
        pause();
    return is("FAKE_FAIL", call) ? unknown : success;
}

int cuInit(unsigned flags)
{
    (void)flags;
    puts("noise of a driver");
    fflush(stdout);
    return enter("cuInit");
}

int cuGetErrorName(int error, const char** name)
{
    *name = error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_UNKNOWN";
    return success;
}

int cuDeviceGetByPCIBusId(int* device, const char* address)
{
    (void)address;
    *device = 0;
    return enter("cuDeviceGetByPCIBusId");
}

int cuDevicePrimaryCtxRetain(void** context, int device)
{
    (void)device;
    *context = &last_ms;
    return enter("cuDevicePrimaryCtxRetain");
}

int cuCtxSetCurrent(void* context)
{
    (void)context;
    return success;
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes)
{
    *free_bytes = (size_t)setting("FAKE_FREE_MIB", 30000) << 20;
    *total_bytes = (size_t)32607 << 20;
    return success;
}

int cuMemAlloc_v2(unsigned long long* address, size_t size)
{
    *address = (unsigned long long)(size_t)calloc(1, size);
    return enter("cuMemAlloc");
}

int cuMemHostAlloc(void** address, size_t size, unsigned flags)
{
    (void)flags;
    if (is("FAKE_FAIL", "cuMemHostAlloc") && size > ((size_t)16 << 20))
        return out_of_memory;
    *address = calloc(1, size);
    return success;
}

int cuMemFree_v2(unsigned long long address)
{
    free((void*)(size_t)address);
    return success;
}

int cuMemFreeHost(void* address)
{
    free(address);
    return success;
}

static void copy(void* to, const void* from, size_t size, double rate_gb_s)
{
    FILE* mark = fopen("copying", "w");
    if (mark)
        fclose(mark);
    memcpy(to, from, size);
    last_ms = (double)size / 1e6 / rate_gb_s;
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t size, void* stream)
{
    (void)stream;
    copy((void*)(size_t)to, from, size, setting("FAKE_H2D", 50));
    return enter("cuMemcpyHtoDAsync");
}

int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t size, void* stream)
{
    (void)stream;
    copy(to, (const void*)(size_t)from, size, setting("FAKE_D2H", 52));
    if (getenv("FAKE_CORRUPT"))
        ((char*)to)[size / 2] ^= 1;
    return enter("cuMemcpyDtoHAsync");
}

int cuStreamCreate(void** stream, unsigned flags)
{
    (void)flags;
    *stream = &last_ms;
    return success;
}

int cuStreamSynchronize(void* stream)
{
    (void)stream;
    return enter("cuStreamSynchronize");
}

int cuEventCreate(void** event, unsigned flags)
{
    (void)flags;
    *event = &last_ms;
    return success;
}

int cuEventRecord(void* event, void* stream)
{
    (void)event;
    (void)stream;
    return success;
}

int cuEventElapsedTime(float* ms, void* from, void* to)
{
    (void)from;
    (void)to;
    *ms = is("FAKE_FAIL", "cuEventElapsedTime") ? 0 : (float)last_ms;
    return success;
}
