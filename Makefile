# sloutils: `make demo` and `make check` do everything; `make help` lists the rest.

PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
BUILD ?= build
FLAVOR ?= release
FILTER ?=
FUZZ_SECONDS ?= 60
WERROR ?=

CXX := g++
OUT := $(BUILD)/$(FLAVOR)

# Options by flavour: the name of the variable chooses, no conditionals.
CXXFLAGS-release := -O2 -g1 -D_FORTIFY_SOURCE=2 -fstack-protector-strong
# Instrumented code misleads the compiler about what is initialized (its manual says so); the sanitizers see for
# themselves. With -Og a build takes half the time of one with -O1.
CXXFLAGS-sanitized := -Og -g1 -Wno-maybe-uninitialized
CXXFLAGS-asan := $(CXXFLAGS-sanitized) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CXXFLAGS-tsan := $(CXXFLAGS-sanitized) -fsanitize=thread
# A test is compiled more often than it is run.
TESTFLAGS-release := -O1

CXXFLAGS := -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR) $(CXXFLAGS-$(FLAVOR))
CPPFLAGS := -Iinclude -DBOOST_TEST_DYN_LINK
LDFLAGS := -Wl,--as-needed $(filter -fsanitize=%,$(CXXFLAGS-$(FLAVOR)))
LDLIBS := -lboost_json -lboost_program_options -lcurl -lfmt -lcrypto -lyaml-cpp -lsentencepiece -pthread

TOOLS := $(patsubst tools/%.cpp,%,$(wildcard tools/*.cpp))
HEADERS := $(shell find include -name '*.hpp' | sort)
# Unit tests are compiled in groups (tests/unit/groups); one alone is $(OUT)/tests/unit/LAYER/NAME_test.
UNIT_GROUPED := $(shell tests/unit/groups)
UNIT_GROUPS := $(patsubst %,$(OUT)/tests/unit/%,$(sort $(foreach t,$(UNIT_GROUPED),$(firstword $(subst @, ,$t)))))
SUPPORT := $(patsubst tests/%.cpp,$(OUT)/tests/%,$(wildcard tests/support/*.cpp))
FUZZ := $(patsubst tests/fuzz/%.cpp,%,$(wildcard tests/fuzz/*.cpp))
STUDY := $(OUT)/tests/study/study
BENCH := $(patsubst tests/%.cpp,$(OUT)/tests/%,$(wildcard tests/bench/*.cpp))
PROGRAMS := $(TOOLS:%=$(OUT)/bin/%)

PACKAGES := g++ libboost1.81-dev libboost-json1.81-dev libboost-program-options1.81-dev libboost-test1.81-dev \
            libcurl4-openssl-dev libfmt-dev libssl-dev libyaml-cpp-dev libsentencepiece-dev libjs-chart.js curl openssl
PACKAGES-check := nghttp2-proxy tinyproxy-bin gnuplot-nox chromium nodejs python3-jsonschema
PACKAGES-unpacked := prometheus prometheus-node-exporter
PACKAGES-lint := mandoc shellcheck clang-14 clang-format-14 libclang-rt-14-dev
PACKAGES-study := gnuplot-nox

all: $(PROGRAMS) bin ## build the tools
.DEFAULT_GOAL := all
.PHONY: all deps deps-check deps-lint demo check check-unit run-check programs-for-check lint asan tsan fuzz bench study install uninstall help clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:

bin: FORCE
	@test "$(OUT)" != build/release || ln -sfn build/release/bin bin

deps: ## install the packages that are missing, or say which
	@tests/support/install_packages $(PACKAGES)

deps-check: ## the same for what make check needs besides
	@tests/support/install_packages $(PACKAGES) $(PACKAGES-check)
	@tests/support/unpack_packages $(BUILD)/packages $(PACKAGES-unpacked)

deps-lint: ## the same for what make lint and make fuzz need
	@tests/support/install_packages $(PACKAGES) $(PACKAGES-lint)

demo: deps ## a whole max-QPS search against engine-sim
	@$(MAKE) --no-print-directory -j2 all
	@PATH="$(abspath $(OUT))/bin:$$PATH" examples/demo.sh

check: deps-check ## all tests; the last line counts them
	@$(MAKE) --no-print-directory -j2 programs-for-check
	@$(MAKE) --no-print-directory run-check

check-unit: deps-check ## the unit tests alone
	@$(MAKE) --no-print-directory -j2 $(UNIT_GROUPS) $(SUPPORT)
	@$(MAKE) --no-print-directory FILTER=unit/ run-check

programs-for-check: all $(UNIT_GROUPS) $(SUPPORT) $(STUDY) $(FUZZ:%=$(OUT)/tests/fuzz/%)

run-check:
	@BUILT="$(abspath $(OUT))" FLAVOR=$(FLAVOR) PATH="$(abspath $(BUILD))/packages/usr/bin:$$PATH" tests/run '$(FILTER)'

asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) --no-print-directory FLAVOR=asan check

tsan: ## all tests under ThreadSanitizer
	@$(MAKE) --no-print-directory FLAVOR=tsan check

lint: deps-lint ## headers alone, layers, pages against options, format, shell scripts
	@$(MAKE) --no-print-directory -j2 all
	@BUILT="$(abspath $(OUT))" tests/lint/run

fuzz: deps-lint ## each fuzz target for FUZZ_SECONDS
	@for target in $(FUZZ); do \
	    tests/fuzz/run $$target $(FUZZ_SECONDS) $(BUILD)/fuzz || exit 1; \
	done

bench: all $(BENCH) ## take the figures of tests/bench/RESULTS.md anew
	@for script in tests/bench/*.sh; do \
	    echo "== $$script"; BUILT="$(abspath $(OUT))" PATH="$(abspath $(OUT))/bin:$$PATH" $$script || exit 1; \
	done

study: deps ## searches for limits that are known: what each strategy costs, and how far off it ends
	@tests/support/install_packages $(PACKAGES-study) || echo "make: no plot will be drawn"
	@$(MAKE) --no-print-directory $(STUDY)
	@tests/study/run $(STUDY) $(BUILD)/study

EXAMPLES := $(shell find examples -type f | sort)

# One list of what is installed and where, for both directions: SOURCE:MODE:DESTINATION.
INSTALLED := \
    $(foreach t,$(TOOLS),$(OUT)/bin/$t:755:bin/$(PROGRAM_PREFIX)$t) \
    $(foreach t,$(wildcard man/*.1),$t:644:share/man/man1/$(PROGRAM_PREFIX)$(notdir $t)) \
    $(foreach t,$(wildcard man/*.5),$t:644:share/man/man5/$(notdir $t)) \
    $(foreach t,$(wildcard man/*.7),$t:644:share/man/man7/$(notdir $t)) \
    $(foreach t,$(HEADERS),$t:644:$t) \
    $(foreach t,$(filter %.sh,$(EXAMPLES)),$t:755:share/sloutils/$t) \
    $(foreach t,$(filter-out %.sh,$(EXAMPLES)),$t:644:share/sloutils/$t)

install: all ## install under PREFIX (DESTDIR, PROGRAM_PREFIX)
	@for entry in $(INSTALLED); do \
	    IFS=: read -r from mode to <<< "$$entry"; \
	    install -D -m "$$mode" "$$from" "$(DESTDIR)$(PREFIX)/$$to" || exit 1; \
	done

uninstall: ## remove what install put there
	@for entry in $(INSTALLED); do rm -f "$(DESTDIR)$(PREFIX)/$${entry##*:}"; done

install uninstall: SHELL := /bin/bash

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16

clean: ## remove everything built
	rm -rf $(BUILD) bin

# Compiling and linking: one rule each.
.SECONDEXPANSION:
tests_of = $(patsubst $1@%,%,$(filter $1@%,$(UNIT_GROUPED)))
$(UNIT_GROUPS:$(OUT)/tests/unit/%=$(OUT)/obj/unit/%.cpp): $(OUT)/obj/unit/%.cpp: tests/unit/groups $$(call tests_of,$$*) FORCE
	@mkdir -p $(@D)
	@tests/unit/groups $@ $(call tests_of,$*)

$(UNIT_GROUPS:$(OUT)/tests/unit/%=$(OUT)/obj/unit/%.o): $(OUT)/obj/unit/%.o: $(OUT)/obj/unit/%.cpp Makefile
	@echo "  CXX   unit tests $*"
	@$(CXX) $(CPPFLAGS) -I. $(CXXFLAGS) $(TESTFLAGS-$(FLAVOR)) -Wno-subobject-linkage -MMD -MP -c -o $@ $<

$(OUT)/tests/unit/%: private LDLIBS += -lboost_unit_test_framework
$(UNIT_GROUPS): $(OUT)/tests/unit/%: $(OUT)/obj/unit/%.o
	@mkdir -p $(@D)
	@$(CXX) $(LDFLAGS) -o $@ $< $(LDLIBS)

$(OUT)/obj/tests/unit/%.o: private CXXFLAGS += $(TESTFLAGS-$(FLAVOR))
$(OUT)/obj/%.o: %.cpp Makefile
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/bin/%: $(OUT)/obj/tools/%.o
	@mkdir -p $(@D)
	@$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(FUZZ:%=$(OUT)/tests/fuzz/%): $(OUT)/obj/tests/fuzz/replay/main.o
$(OUT)/tests/%: $(OUT)/obj/tests/%.o
	@mkdir -p $(@D)
	@$(CXX) $(LDFLAGS) -o $@ $^ $(LDLIBS)

-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
