#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A network of known delay where the kernel has no netem: delay.py TARGET_HOST TARGET_PORT DELAY_MS HOST

Listens on a free port of HOST, printed on stdout, and carries each byte to and from the target, each way half of
DELAY_MS later than it came.
"""

import asyncio
import sys


async def carry(reader, writer, delay_s):
    loop = asyncio.get_running_loop()
    pieces = asyncio.Queue()

    async def write():
        while True:
            at, data = await pieces.get()
            await asyncio.sleep(at - loop.time())
            if not data:
                writer.close()
                return
            writer.write(data)

    writing = asyncio.create_task(write())
    try:
        while data := await reader.read(65536):
            pieces.put_nowait((loop.time() + delay_s, data))
    except ConnectionError:
        pass
    pieces.put_nowait((loop.time() + delay_s, b""))
    await writing


async def main(host, port, delay_ms, own_host):
    async def connected(reader, writer):
        far_reader, far_writer = await asyncio.open_connection(host, port)
        one_way_s = delay_ms / 2000
        await asyncio.gather(carry(reader, far_writer, one_way_s), carry(far_reader, writer, one_way_s))

    server = await asyncio.start_server(connected, own_host, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
