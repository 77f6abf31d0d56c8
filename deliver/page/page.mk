# page.mk - a part of the Makefile: the command as a page that runs in a browser.
#
# SPDX-License-Identifier: Apache-2.0

# The same sources, compiled by clang to WebAssembly. What a browser does not have, deliver/page/*.c
# replaces, file by file.
PAGE := $(BUILD)/page
PAGE_CC ?= clang
PAGE_PACKAGES := gcc libc6-dev librandom123-dev clang lld wasi-libc libclang-rt-14-dev-wasm32 \
    esbuild python3-minimal
PAGE_CHECK_PACKAGES := chromium chromium-driver python3-selenium python3-numpy

SEES_deliver/page := $(SEES_programs/recallmodel) programs/recallmodel
$(eval $(call layer,deliver/page))

PAGE_COMMANDS := recall ranks cost bounds select exact distribution simulate predict devices blocks
PAGE_REPLACES := base/memory_limit.c base/files/atomic_file_open.c \
    programs/common/progress.c programs/common/wisdom.c \
    $(addprefix programs/recallmodel/,commands.c output/plot.c output/plot_program.c \
        time/predict_runs.c)
PAGE_LEAVES_OUT := $(filter-out $(foreach name,$(PAGE_COMMANDS),%/command_$(name).c), $(wildcard \
    $(addprefix programs/recallmodel/,command_* */command_* attention/* measure/* \
        recall/count_* recall/parts_measured.c select/tune_* topk/* calibrate/* without_gsl/*)))
PAGE_SOURCES := $(filter-out $(PAGE_REPLACES) $(PAGE_LEAVES_OUT) sim/team/mpi.c, \
    $(wildcard base/*.c base/*/*.c model/*/*.c sim/*.c sim/*/*.c programs/common/*.c \
        programs/recallmodel/*.c programs/recallmodel/*/*.c deliver/page/*.c))
PAGE_OBJECTS := $(PAGE_SOURCES:%.c=$(PAGE)/%.o)
PAGE_JSON := $(patsubst $(JANSSON)/%.c,$(PAGE)/jansson/%.o,$(JANSSON_SOURCES))

# The memory may grow to so many bytes. The stack lies below the data, so that one that is too deep
# is an error, not damage.
PAGE_MEMORY := 2147483648
PAGE_STACK := 4194304
PAGE_CFLAGS := -O2
PAGE_TARGET := --target=wasm32-wasi
PAGE_LINK := -Wl,--strip-all -Wl,--stack-first -Wl,-z,stack-size=$(PAGE_STACK) \
    -Wl,--max-memory=$(PAGE_MEMORY)
# Random123 knows its machines by name, and WebAssembly is none of them. On a RISC-V it is plain C.
PAGE_DEFINES := $(POSIX) -DPAGE_MEMORY=$(PAGE_MEMORY).0
PAGE_COMPILE = $(PAGE_CC) $(PAGE_TARGET) $(BASE_FLAGS) -Wno-shorten-64-to-32 -Wno-sign-conversion \
    $(PAGE_CFLAGS) $(PAGE_DEFINES)

# The folder of a source that has an include path of its own.
page_layer = $(lastword $(foreach layer,$(LAYERS),$(if $(filter $(layer)/%,$(1)),$(layer))))

$(PAGE)/see/Random123:
	@mkdir -p $(@D)
	@ln -sfn $(or $(wildcard /usr/include/Random123),$(error there is no Random123)) $@

$(PAGE_OBJECTS): $(PAGE)/%.o: %.c deliver/page/page.mk | $(PAGE)/see/Random123 $(JANSSON)/.made \
    $(patsubst %,$(BUILD)/see/%/.made,base model sim programs/common programs/recallmodel \
        deliver/page)
	@mkdir -p $(@D)
	$(say) WASM $<
	$(Q)$(PAGE_COMPILE) $(if $(filter sim/%,$<),-D__riscv) -I$(BUILD)/see/$(call page_layer,$<) \
	    -I$(BUILD)/generated -I$(JANSSON) -I$(PAGE)/see -MMD -MP -c $< -o $@
$(PAGE)/model/time/profiles.o: $(PROFILE_LIST)

$(PAGE_JSON): $(PAGE)/jansson/%.o: $(JANSSON)/%.c
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_TARGET) $(PAGE_CFLAGS) -DHAVE_CONFIG_H -I$(JANSSON) -c $< -o $@

$(PAGE)/recallmodel.wasm: $(PAGE_OBJECTS) $(PAGE_JSON)
	$(say) LINK $@
	$(Q)$(PAGE_CC) $(PAGE_TARGET) $(PAGE_CFLAGS) $(PAGE_LINK) $^ -lm -o $@

# Of Random123, jansson and wasi-libc, with the parts of musl in it.
PAGE_NOTICES := $(addprefix deliver/packaging/licenses/,Random123.txt jansson.txt) \
    /usr/share/doc/wasi-libc/copyright

# One script has all modules, the WebAssembly, and the source of the worker as a text.
BUNDLE := esbuild --bundle --format=iife --charset=utf8 --log-level=warning
EMBEDDED := $(foreach file,recallmodel.wasm worker.txt,--alias:$(file)=$(abspath $(PAGE)/$(file))) \
    --loader:.wasm=binary
PAGE_ENGINE := $(wildcard deliver/page/engine/*)
$(PAGE)/worker.txt: $(PAGE_ENGINE)
	@mkdir -p $(@D)
	$(Q)$(BUNDLE) deliver/page/engine/worker.js > $@

$(PAGE)/%.js: $(PAGE)/recallmodel.wasm $(PAGE)/worker.txt $(PAGE_ENGINE) deliver/page/page.mk
	$(say) BUNDLE $@
	$(Q)$(BUNDLE) $(EMBEDDED) $(filter %/main.js,$^) > $@

$(PAGE)/recallmodel.js: $(wildcard deliver/page/ui/*)
$(PAGE)/recallmodel.html: $(PAGE)/recallmodel.js deliver/page/build.py \
    $(filter deliver/packaging/%,$(PAGE_NOTICES))
	@deliver/page/build.py --ui deliver/page/ui --script $< --notice $(PAGE_NOTICES) -o $@

# The engine without the page, for its tests.
$(PAGE)/bare.js: $(wildcard tests/page/bare/*)
$(PAGE)/bare.html: $(PAGE)/bare.js deliver/page/build.py
	@deliver/page/build.py --ui tests/page/bare --script $< -o $@

-include $(PAGE_OBJECTS:.o=.d)

.PHONY: page check-page
page:
	@tools/install_packages.sh $(PAGE_PACKAGES)
	@$(MAKE) --no-print-directory $(PARALLEL) $(PAGE)/recallmodel.html

# CHECKS="tests/page/check_rows.py ..": only these.
check-page:
	@tools/install_packages.sh $(PAGE_PACKAGES) $(PAGE_CHECK_PACKAGES)
	@$(MAKE) --no-print-directory $(PARALLEL) $(PAGE)/recallmodel.html $(PAGE)/bare.html $(PROGRAM)
	@RECALLMODEL=$(PROGRAM) BUILD=$(BUILD) tests/page/check_page.sh $(CHECKS)
