# SPDX-License-Identifier: MIT
"""Drives the request function of a Python client as its own program does, without tokenizers and datasets:

    http_layer.py CLIENT URL (--concurrency N | --rate R) --seconds S

CLIENT is openai, vllm, sglang, aiperf or guidellm. Prints one JSON object: what was sent, and, with --rate,
the TTFT that the client's own clock says (milliseconds) and how late it was to send.
"""

import argparse
import asyncio
import importlib.util
import json
import sys
import time
import types

MESSAGES = [{"role": "user", "content": "question 1"}]


def without_init(package):
    """Lets parts of a package be imported without what its own __init__ pulls in."""
    spec = importlib.util.find_spec(package)
    module = types.ModuleType(package)
    module.__path__ = list(spec.submodule_search_locations)
    sys.modules[package] = module


async def make_openai(base_url):
    import httpx
    import openai

    client = openai.AsyncOpenAI(
        base_url=base_url,
        api_key="none",
        max_retries=0,
        http_client=httpx.AsyncClient(limits=httpx.Limits(max_connections=None, max_keepalive_connections=None)),
    )

    async def request():
        start = time.perf_counter()
        first = None
        stream = await client.chat.completions.create(
            model="null", messages=MESSAGES, max_tokens=50, stream=True, stream_options={"include_usage": True}
        )
        async for chunk in stream:
            if first is None and chunk.choices and chunk.choices[0].delta.content:
                first = time.perf_counter() - start
        return first

    return request


async def make_vllm(base_url):
    import aiohttp
    from vllm.benchmarks.lib.endpoint_request_func import RequestFuncInput, async_request_openai_chat_completions

    connector = aiohttp.TCPConnector(limit=0, limit_per_host=0, keepalive_timeout=60, ssl=False)
    session = aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=600))
    what = RequestFuncInput(
        prompt="question 1", api_url=base_url + "/chat/completions", prompt_len=2, output_len=50, model="null"
    )

    async def request():
        output = await async_request_openai_chat_completions(what, session)
        if not output.success:
            raise RuntimeError(output.error)
        return output.ttft

    return request


async def make_sglang(base_url):
    without_init("sglang")
    from sglang.benchmark import serving

    serving.args = argparse.Namespace(
        disable_stream=False, disable_ignore_eos=True, print_requests=False, header=None, return_logprob=False
    )
    what = serving.RequestFuncInput(
        prompt="question 1",
        api_url=base_url + "/chat/completions",
        prompt_len=2,
        output_len=50,
        model="null",
        lora_name="",
        image_data=None,
        extra_request_body={},
    )

    async def request():
        output = await serving.async_request_openai_chat_completions(what)
        if not output.success:
            raise RuntimeError(output.error)
        return output.ttft

    return request


async def make_aiperf(base_url):
    from aiperf.transports.aiohttp_client import AioHttpClient

    client = AioHttpClient(timeout=600)
    body = json.dumps({"model": "null", "messages": MESSAGES, "max_tokens": 50, "stream": True}).encode()
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}

    async def request():
        record = await client.post_request(base_url + "/chat/completions", body, headers)
        if record.error or not record.responses:
            raise RuntimeError(str(record.error))
        return (record.responses[0].perf_ns - record.start_perf_ns) * 1e-9

    return request


async def make_guidellm(base_url):
    from guidellm.backends.openai.http import OpenAIHTTPBackend
    from guidellm.schemas import GenerationRequest, RequestInfo

    arguments = OpenAIHTTPBackend.__init__.__annotations__["arguments"]
    if isinstance(arguments, str):
        arguments = getattr(sys.modules[OpenAIHTTPBackend.__module__], arguments)
    backend = OpenAIHTTPBackend(
        arguments(target=base_url.removesuffix("/v1"), model="null", request_format="/v1/chat/completions", max_tokens=50)
    )
    await backend.process_startup()

    async def request():
        info = RequestInfo()
        async for _ in backend.resolve(GenerationRequest(columns={"text_column": ["question 1"]}), info):
            pass
        return info.timings.first_token_iteration - info.timings.request_start

    return request


async def closed_loop(request, concurrency, end):
    done = 0

    async def user():
        nonlocal done
        while time.perf_counter() < end:
            await request()
            done += 1

    await asyncio.gather(*(user() for _ in range(concurrency)))
    return {"requests": done}


async def open_loop(request, rate, seconds):
    ttft_s, late_s, tasks = [], [], []
    start = time.perf_counter()

    async def one():
        ttft_s.append(await request())

    for number in range(int(rate * seconds)):
        due = start + number / rate
        if (left := due - time.perf_counter()) > 0:
            await asyncio.sleep(left)
        late_s.append(time.perf_counter() - due)
        tasks.append(asyncio.create_task(one()))
    await asyncio.gather(*tasks)
    elapsed = time.perf_counter() - start

    def ms(values, quantile):
        return round(sorted(values)[int((len(values) - 1) * quantile)] * 1e3, 3)

    return {
        "requests": len(tasks),
        "elapsed_s": round(elapsed, 3),
        "ttft_p50_ms": ms(ttft_s, 0.5),
        "ttft_p99_ms": ms(ttft_s, 0.99),
        "send_late_p99_ms": ms(late_s, 0.99),
    }


async def drive(options):
    request = await globals()["make_" + options.client](options.url)
    await request()
    if options.rate:
        return await open_loop(request, options.rate, options.seconds)
    return await closed_loop(request, options.concurrency, time.perf_counter() + options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("client", choices=["openai", "vllm", "sglang", "aiperf", "guidellm"])
    parser.add_argument("url", help="up to and with /v1")
    load = parser.add_mutually_exclusive_group(required=True)
    load.add_argument("--concurrency", type=int)
    load.add_argument("--rate", type=float)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(drive(options))), flush=True)
    # What the packages left open is no part of the measurement.
    sys.stdout.flush()
    import os

    os._exit(0)


main()
