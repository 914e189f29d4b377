# SPDX-License-Identifier: MIT
"""SGLang's compiled client by its own command line, without what the package's __init__ pulls in."""

import importlib.util
import runpy
import sys
import types

module = types.ModuleType("sglang")
module.__path__ = list(importlib.util.find_spec("sglang").submodule_search_locations)
sys.modules["sglang"] = module
runpy.run_module("sglang.benchmark.rust_client", run_name="__main__")
