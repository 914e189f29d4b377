#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the official OpenAI client understand engine-sim? Not part of `make check`, as it needs the client:

    python3 -m venv VENV && VENV/bin/pip install openai
    make && VENV/bin/python tests/compat/openai_client.py bin/engine-sim

Prints one line a check and ends with status 1 at the first that fails.
"""

import os
import subprocess
import sys
import tempfile
import time

import openai


def check(name, condition):
    print(("ok    " if condition else "FAIL  ") + name)
    if not condition:
        sys.exit(1)


def chat(client, model):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello there"}]
    answer = client.chat.completions.create(model=model, messages=messages, max_tokens=5, n=2)
    check("chat: two choices", [c.index for c in answer.choices] == [0, 1])
    check("chat: finish reason", all(c.finish_reason == "length" for c in answer.choices))
    check("chat: role and text", answer.choices[0].message.role == "assistant" and answer.choices[0].message.content)
    check("chat: usage", answer.usage.completion_tokens == 10 and answer.usage.prompt_tokens > 0)
    check("chat: cached tokens", answer.usage.prompt_tokens_details.cached_tokens == 0)

    text, reasons, usage = "", [], None
    stream = client.chat.completions.create(model=model, messages=messages, max_completion_tokens=7, seed=3, stream=True,
                                            stream_options={"include_usage": True}, temperature=0.5, stop=["never said"])
    for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reasons += [choice.finish_reason] if choice.finish_reason else []
        usage = chunk.usage or usage
    check("chat stream: text of seven words", len(text.split()) == 7)
    check("chat stream: one finish reason", reasons == ["length"])
    check("chat stream: usage in the last chunk", usage.completion_tokens == 7)
    again = client.chat.completions.create(model=model, messages=messages, max_completion_tokens=7, seed=3)
    check("chat: the seed repeats the answer", again.choices[0].message.content == text)


def completions(client, model):
    answer = client.completions.create(model=model, prompt=["Hello", "there"], max_tokens=4)
    check("completions: one choice a prompt", len(answer.choices) == 2 and answer.choices[1].text)
    answer = client.completions.create(model=model, prompt=[1, 2, 3], max_tokens=4)
    check("completions: token numbers as a prompt", answer.usage.prompt_tokens == 3)
    chunks = list(client.completions.create(model=model, prompt="Hello", max_tokens=4, stream=True))
    check("completions stream: four chunks", len([c for c in chunks if c.choices[0].text]) == 4)


def errors(client, model):
    def raises(kind, call):
        try:
            call()
        except kind as error:
            return error
        return None

    message = [{"role": "user", "content": "x"}]
    error = raises(openai.BadRequestError, lambda: client.chat.completions.create(
        model=model, messages=message, max_tokens=1000000))
    check("error: context length", error and error.code == "context_length_exceeded")
    error = raises(openai.NotFoundError, lambda: client.chat.completions.create(model="other", messages=message))
    check("error: no such model", error and error.code == "model_not_found")
    other = client.with_options(api_key="wrong")
    check("error: wrong key", raises(openai.AuthenticationError, lambda: other.models.list()))


def main():
    with tempfile.TemporaryDirectory() as scratch:
        port_file = os.path.join(scratch, "port")
        keys = os.path.join(scratch, "keys")
        with open(keys, "w", encoding="utf-8") as file:
            file.write("right\n")
        server = subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--port-file", port_file, "--api-key-file", keys])
        try:
            while not os.path.exists(port_file):
                check("the server starts", server.poll() is None)
                time.sleep(0.02)
            with open(port_file, encoding="utf-8") as file:
                port = int(file.read())
            client = openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="right", max_retries=0)
            model = client.models.list().data[0].id
            check("models: retrieve", client.models.retrieve(model).id == model)
            chat(client, model)
            completions(client, model)
            errors(client, model)
        finally:
            server.terminate()
            check("the server ends in order", server.wait(10) == 0)


if __name__ == "__main__":
    main()
