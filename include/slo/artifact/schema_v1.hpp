// SPDX-License-Identifier: MIT
// The schema of the v1 envelope, as it is shipped in examples/schema/envelope-1.schema.json.

#ifndef SLO_ARTIFACT_SCHEMA_V1_HPP
#define SLO_ARTIFACT_SCHEMA_V1_HPP

#include <slo/artifact/schema.hpp>
#include <slo/base/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace slo::artifact {

/// The text of the shipped file, byte for byte. It is wider than the classic schema where real runs need it:
/// the modalities of all cards, nvfp4 and mxfp4, plain NVLink, an integer expert_parallel, null for every
/// figure that was not measured.
inline constexpr std::string_view schema_v1_text = R"schema({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:sloutils:envelope:1",
  "title": "One benchmark run: what ran, on what, what both sides measured",
  "description": "The v1 envelope. Null is what was not measured, and never 0. Unknown members are allowed everywhere.",
  "type": "object",
  "required": ["schema_version", "artifact_id", "created_at", "source_tool", "model", "engine", "infrastructure", "workload", "metrics"],
  "properties": {
    "schema": { "const": "sloutils.envelope/1" },
    "schema_version": { "type": "string", "pattern": "^1\\.[0-9]+\\.[0-9]+$" },
    "artifact_id": { "type": "string", "minLength": 1, "format": "uuid" },
    "created_at": { "type": "string", "minLength": 1, "format": "date-time" },
    "source_tool": {
      "type": "object",
      "required": ["name", "version", "enrichment_version"],
      "properties": {
        "name": {
          "enum": ["aiperf", "vllm-bench-serve", "sglang-bench-serving", "genai-perf", "guidellm", "llmperf", "recon-perf",
                   "bench-standard.py", "custbench-async", "custbench-legacy", "custom"]
        },
        "version": { "type": "string" },
        "enrichment_version": { "type": "string" }
      }
    },
    "model": {
      "type": "object",
      "required": ["name", "id"],
      "properties": {
        "name": { "type": "string" },
        "id": { "type": "string", "minLength": 1 },
        "architecture": { "$ref": "#/$defs/text" },
        "parameters_total": { "$ref": "#/$defs/text" },
        "parameters_active": { "$ref": "#/$defs/text" },
        "quantization": {
          "enum": ["fp16", "bf16", "fp8", "fp4", "nvfp4", "mxfp4", "int8", "int4", "awq", "gptq", "mxint4", "none", null]
        },
        "max_model_len": { "type": ["integer", "null"], "minimum": 1 }
      }
    },
    "engine": {
      "type": "object",
      "required": ["name", "container_image", "tensor_parallel", "pipeline_parallel", "replicas", "reasoning"],
      "properties": {
        "name": { "enum": ["vllm", "sglang", "trt-llm", "sglang-native", "dynamo", "custom"] },
        "version": { "$ref": "#/$defs/text" },
        "container_image": { "type": "string", "minLength": 1 },
        "base_image": { "$ref": "#/$defs/text" },
        "dockerfile": { "$ref": "#/$defs/text" },
        "tensor_parallel": { "type": "integer", "minimum": 1 },
        "pipeline_parallel": { "type": "integer", "minimum": 1 },
        "replicas": { "type": "integer", "minimum": 1 },
        "data_parallel": { "type": ["integer", "null"], "minimum": 1 },
        "expert_parallel": { "type": ["boolean", "integer", "null"], "minimum": 1 },
        "reasoning": { "type": "boolean" },
        "kv_cache_dtype": { "$ref": "#/$defs/text" },
        "attention_backend": { "$ref": "#/$defs/text" },
        "speculative_decode": {
          "type": ["object", "null"],
          "properties": {
            "method": { "enum": ["mtp", "eagle", "eagle3", "draft-model", "ngram", null] },
            "algorithm": { "$ref": "#/$defs/text" },
            "num_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "num_steps": { "type": ["integer", "null"], "minimum": 1 },
            "num_draft_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "eagle_topk": { "type": ["integer", "null"], "minimum": 1 },
            "draft_model": { "$ref": "#/$defs/text" },
            "draft_attention_backend": { "$ref": "#/$defs/text" }
          }
        },
        "extra_args": { "type": ["object", "null"] },
        "engine_config_tag": { "$ref": "#/$defs/text" }
      }
    },
    "framework": {
      "type": "object",
      "required": ["name"],
      "properties": {
        "name": { "enum": ["dynamo", "llmd", "ray-serve", "custom"] },
        "version": { "$ref": "#/$defs/text" },
        "config": { "type": ["object", "null"] }
      }
    },
    "infrastructure": {
      "type": "object",
      "required": ["substrate", "instance_type", "gpu"],
      "properties": {
        "substrate": { "enum": ["eks", "hyperpod-eks", "hyperpod", "bare-metal", "ec2", "ec2-spot", "local"] },
        "instance_type": { "type": "string" },
        "region": { "$ref": "#/$defs/text" },
        "gpu": {
          "type": "object",
          "required": ["name", "count", "vram_gb", "interconnect"],
          "properties": {
            "name": { "type": "string" },
            "arch": { "$ref": "#/$defs/text" },
            "count": { "type": "integer", "minimum": 1 },
            "vram_gb": { "type": "number", "minimum": 0 },
            "interconnect": { "enum": ["nvswitch", "nvswitch-nvl5", "nvswitch-nv18", "nvlink", "pcie", "efa", "none"] }
          }
        }
      }
    },
    "workload": {
      "type": "object",
      "required": ["use_case", "modality", "dataset", "load", "api"],
      "properties": {
        "use_case": { "type": "string" },
        "catalog_id": { "$ref": "#/$defs/text" },
        "modality": { "enum": ["text", "vision", "audio", "multimodal", "video", "mixed", "multi-model"] },
        "dataset": { "type": "object" },
        "load": { "type": "object" },
        "api": {
          "type": "object",
          "required": ["type", "streaming"],
          "properties": {
            "type": { "type": "string" },
            "streaming": { "type": "boolean" },
            "endpoint": { "$ref": "#/$defs/text" }
          }
        }
      }
    },
    "metrics": {
      "type": "object",
      "required": ["duration_s", "completed", "failed", "error_rate", "ttft_ms", "tpot_ms", "itl_ms", "e2e_ms", "output_toks_per_s"],
      "properties": {
        "duration_s": { "$ref": "#/$defs/amount" },
        "completed": { "$ref": "#/$defs/count" },
        "failed": { "$ref": "#/$defs/count" },
        "error_rate": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
        "ttft_ms": { "$ref": "#/$defs/latency" },
        "tpot_ms": { "$ref": "#/$defs/latency" },
        "itl_ms": { "$ref": "#/$defs/latency" },
        "e2e_ms": { "$ref": "#/$defs/latency" },
        "output_toks_per_s": { "$ref": "#/$defs/amount" },
        "request_throughput": { "$ref": "#/$defs/amount" },
        "total_toks_per_s": { "$ref": "#/$defs/amount" },
        "total_input_tokens": { "$ref": "#/$defs/count" },
        "total_output_tokens": { "$ref": "#/$defs/count" },
        "max_concurrent_requests": { "$ref": "#/$defs/count" }
      }
    },
    "slo": {
      "type": "object",
      "required": ["targets", "results", "overall_pass"],
      "properties": {
        "targets": { "type": "object" },
        "results": {
          "type": "object",
          "additionalProperties": {
            "type": "object",
            "required": ["target", "actual", "pass"],
            "properties": {
              "target": { "type": ["number", "null"] },
              "actual": { "type": ["number", "null"] },
              "pass": { "type": ["boolean", "null"] }
            }
          }
        },
        "overall_pass": { "type": "boolean" }
      }
    },
    "power": {
      "type": "object",
      "properties": {
        "source": { "enum": ["dcgm", "nvidia-smi", "pdu", "cloud-proxy", "custom"] },
        "duration_s": { "$ref": "#/$defs/amount" },
        "avg_fleet_power_watts": { "$ref": "#/$defs/amount" },
        "total_energy_joules": { "$ref": "#/$defs/amount" },
        "tokens_per_joule": { "$ref": "#/$defs/amount" },
        "load_fraction": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
        "power_watts": { "$ref": "#/$defs/aggregate" },
        "gpu_util_pct": { "$ref": "#/$defs/aggregate" },
        "temp_c": { "$ref": "#/$defs/aggregate" }
      }
    },
    "hardware_errors": {
      "type": "object",
      "properties": {
        "ecc_sbe_delta": { "$ref": "#/$defs/count" },
        "ecc_dbe_delta": { "$ref": "#/$defs/count" },
        "nvlink_crc_errors_delta": { "$ref": "#/$defs/count" },
        "pcie_replay_delta": { "$ref": "#/$defs/count" },
        "sentinel_divergences": { "$ref": "#/$defs/count" },
        "xid_events": { "type": ["array", "null"], "items": { "type": "string" } }
      }
    },
    "quality": {
      "type": "object",
      "properties": {
        "gate_passed": { "type": ["boolean", "null"] },
        "evals": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["eval", "score", "baseline_score", "passed"],
            "properties": {
              "eval": { "enum": ["mmlu", "gsm8k", "humaneval", "banking77", "fiqa", "docvqa", "librispeech"] },
              "score": { "type": ["number", "null"] },
              "baseline_score": { "type": ["number", "null"] },
              "delta": { "type": ["number", "null"] },
              "tolerance": { "type": ["number", "null"] },
              "lower_is_better": { "type": ["boolean", "null"] },
              "passed": { "type": ["boolean", "null"] }
            }
          }
        }
      }
    },
    "stability": {
      "type": "object",
      "properties": {
        "duration_hours": { "type": ["number", "null"] },
        "warmup_minutes": { "type": ["number", "null"] },
        "hour_1_throughput": { "type": ["number", "null"] },
        "final_throughput": { "type": ["number", "null"] },
        "throughput_drift_pct": { "type": ["number", "null"] },
        "thermal_events": { "$ref": "#/$defs/count" },
        "unrecoverable_errors": { "$ref": "#/$defs/count" },
        "drift_curve_path": { "$ref": "#/$defs/text" },
        "drift_gate_passed": { "type": ["boolean", "null"] }
      }
    },
    "cold_start": {
      "type": "object",
      "properties": {
        "source": { "enum": ["nvme", "nas", "object-store", "hub", null] },
        "format": { "enum": ["safetensors", "gguf", "trt-engine", "rocm-cache", null] },
        "cache_state": { "enum": ["cold", "warm", null] },
        "total_seconds": { "$ref": "#/$defs/amount" },
        "weights_load_s": { "$ref": "#/$defs/amount" },
        "allocator_warmup_s": { "$ref": "#/$defs/amount" },
        "kernel_compile_s": { "$ref": "#/$defs/amount" },
        "cuda_graph_capture_s": { "$ref": "#/$defs/amount" },
        "first_100_latencies_ms": { "type": ["array", "null"], "items": { "type": ["number", "null"] } }
      }
    },
    "cost": { "type": "object" },
    "extensions": {
      "type": "object",
      "properties": {
        "cache_stats": { "type": ["object", "null"] },
        "distribution": { "type": ["object", "null"] },
        "gpu_telemetry": { "type": ["object", "null"] },
        "session_metadata": { "type": ["object", "null"] },
        "reconciliation": {
          "type": ["object", "null"],
          "properties": { "reconciled": { "type": ["boolean", "null"] } }
        },
        "sloutils": {
          "type": "object",
          "required": ["tool", "version", "sources", "origin"],
          "properties": {
            "tool": { "type": "string" },
            "version": { "type": "string" },
            "sources": {
              "type": "array",
              "minItems": 1,
              "items": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } }
            },
            "origin": {
              "type": "object",
              "additionalProperties": { "enum": ["client", "server", "gpu", "sidecar", "card", "derived"] }
            },
            "notes": { "type": "array", "items": { "type": "string" } }
          }
        }
      }
    },
    "validity": {
      "type": "object",
      "required": ["classification", "production_representative", "reasons", "warnings", "failures", "required_next"],
      "properties": {
        "classification": {
          "enum": ["valid_controlled_baseline", "valid_production_representative", "valid_smoke_only", "invalid_or_incomplete"]
        },
        "production_representative": { "type": "boolean" },
        "reasons": { "$ref": "#/$defs/texts" },
        "warnings": { "$ref": "#/$defs/texts" },
        "failures": { "$ref": "#/$defs/texts" },
        "required_next": { "$ref": "#/$defs/texts" }
      }
    }
  },
  "$defs": {
    "text": { "type": ["string", "null"] },
    "texts": { "type": "array", "items": { "type": "string" } },
    "amount": { "type": ["number", "null"], "minimum": 0 },
    "count": { "type": ["integer", "null"], "minimum": 0 },
    "latency": {
      "type": "object",
      "required": ["mean", "p50", "p90", "p95", "p99"],
      "properties": {
        "mean": { "$ref": "#/$defs/amount" },
        "p50": { "$ref": "#/$defs/amount" },
        "p90": { "$ref": "#/$defs/amount" },
        "p95": { "$ref": "#/$defs/amount" },
        "p99": { "$ref": "#/$defs/amount" }
      }
    },
    "aggregate": {
      "type": ["object", "null"],
      "properties": {
        "mean": { "type": ["number", "null"] },
        "p50": { "type": ["number", "null"] },
        "p95": { "type": ["number", "null"] },
        "p99": { "type": ["number", "null"] },
        "max": { "type": ["number", "null"] },
        "min": { "type": ["number", "null"] },
        "per_gpu_mean": { "type": ["array", "null"], "items": { "type": ["number", "null"] } }
      }
    }
  }
}
)schema";

/// The same, read.
inline const Schema& schema_v1()
{
    static const Schema schema(parse_json(schema_v1_text).get_object(), "envelope-1.schema.json");
    return schema;
}

/// Where an artifact breaks the v1 schema; nothing where it keeps it.
inline std::vector<SchemaError> check_envelope(const json::object& artifact)
{
    return schema_v1().check(artifact);
}

/// One line of errors, at most three spelt out: "metrics.completed is missing (required); …".
inline std::string to_line(const std::vector<SchemaError>& errors)
{
    constexpr std::size_t spelt_out = 3;
    std::string line;
    for (std::size_t i = 0; i < errors.size() && i < spelt_out; ++i)
        line += (i == 0 ? "" : "; ") + errors[i].path + ": " + errors[i].reason;
    if (errors.size() > spelt_out)
        line += "; and " + std::to_string(errors.size() - spelt_out) + " more";
    return line;
}

} // namespace slo::artifact

#endif
