#include <slo/serving/model_shape.hpp>

#define BOOST_TEST_MODULE serving_model_shape
#include <boost/test/unit_test.hpp>

using namespace slo;
using serving::ModelShape;

namespace {

ModelShape shape_of(const char* text)
{
    return serving::read_model_shape(parse_json(text).as_object(), "c: ");
}

} // namespace

BOOST_AUTO_TEST_CASE(names_of_several_families_are_read)
{
    const auto gpt = shape_of(R"({"n_head":16,"n_embd":2048,"n_layer":24,"n_positions":1024})");
    BOOST_TEST(*gpt.heads == 16);
    BOOST_TEST(gpt.heads.where == "c: n_head");
    BOOST_TEST(*gpt.layers == 24);
    BOOST_TEST(*gpt.max_position_embeddings == 1024);
    const auto nested =
        shape_of(R"({"model_type":"x_vl","text_config":{"num_attention_heads":8,"sliding_window":64}})");
    BOOST_TEST(*nested.heads == 8);
    BOOST_TEST(*nested.sliding_window == 64);
    const auto off = shape_of(R"({"sliding_window":4096,"use_sliding_window":false,"num_experts":null})");
    BOOST_TEST(off.is_empty());
    BOOST_TEST(off.unread.empty());
    const auto odd = shape_of(
        R"({"num_attention_heads":[8,16],"head_dim":-1,"is_mla":"yes","torch_dtype":3,"num_experts":0,
                                  "num_hidden_layers":1e12})");
    BOOST_TEST(odd.is_empty());
    BOOST_TEST(odd.unread.size() == 5U);
}

BOOST_AUTO_TEST_CASE(positions_are_stretched_as_the_scaling_says)
{
    const auto reach = [](const std::string& rope) {
        return *shape_of((R"({"max_position_embeddings":32768,"rope_scaling":)" + rope + "}").c_str())
                    .max_position_embeddings;
    };
    BOOST_TEST(reach("null") == 32768);
    BOOST_TEST(reach(R"({"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768})") ==
               131072);
    BOOST_TEST(reach(R"({"type":"yarn","factor":4.0,"original_max_position_embeddings":4096})") == 32768);
    BOOST_TEST(reach(R"({"type":"linear","factor":2})") == 65536);
    BOOST_TEST(reach(R"({"rope_type":"llama3","factor":8})") == 32768);
    BOOST_TEST(reach(R"({"type":"linear","factor":1e300})") == 32768);
}

BOOST_AUTO_TEST_CASE(layers_that_keep_less_are_counted_apart)
{
    const auto kinds = shape_of(
        R"({"num_hidden_layers":4,"layer_types":["full_attention","sliding_attention","sliding_attention","linear_attention"]})");
    BOOST_TEST(*kinds.full_layers == 1);
    BOOST_TEST(*kinds.sliding_layers == 2);
    BOOST_TEST(*kinds.is_mamba_hybrid);
    const auto pattern = shape_of(R"({"hybrid_override_pattern":"M-M*-M*-"})");
    BOOST_TEST(*pattern.full_layers == 2);
    BOOST_TEST(*pattern.is_mamba_hybrid);
    BOOST_TEST(*shape_of(R"({"num_hidden_layers":48,"full_attention_interval":4})").full_layers == 12);
    BOOST_TEST(!shape_of(R"({"num_hidden_layers":48})").full_layers);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_says_its_quantization)
{
    const auto block =
        shape_of(R"({"quantization_config":{"quant_method":"fp8","weight_block_size":[64,128]}})");
    BOOST_TEST(*block.quantization == "fp8");
    BOOST_TEST(*block.weight_block == 64);
    BOOST_TEST(!block.fp8_granularity);
    BOOST_TEST(*shape_of(R"({"quantization_config":{"quant_method":"fp8"}})").fp8_granularity ==
               "per-tensor");
    BOOST_TEST(*shape_of(R"({"quantization_config":{"quant_method":"modelopt","quant_algo":"NVFP4"}})")
                    .quantization == "nvfp4");
    BOOST_TEST(shape_of(R"({"quantization_config":{"quant_method":"compressed-tensors"}})").is_empty());
}

BOOST_AUTO_TEST_CASE(sizes_are_read_from_texts_and_names)
{
    BOOST_TEST(serving::parse_parameters("120B").value() == 120e9);
    BOOST_TEST(serving::parse_parameters("7.5 b").value() == 7.5e9);
    BOOST_TEST(serving::parse_parameters("350M").value() == 350e6);
    for (const char* text : {"", "B", "8x7B", "-1B", "70", "1e9T"})
        BOOST_TEST(!serving::parse_parameters(text), text);
    BOOST_TEST(serving::parameters_in_name("Qwen/Qwen3-235B-A22B-FP8").value() == 235e9);
    BOOST_TEST(serving::parameters_in_name("org/Llama-3.1-8b_int4").value() == 8e9);
    BOOST_TEST(!serving::parameters_in_name("org/big-model-v2"));
}
