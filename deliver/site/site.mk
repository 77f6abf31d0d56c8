# The documentation site: make docs writes build/site, which opens from disk and from any static
# host. make check-site checks its links and its search. The Makefile includes this.

SITE := $(BUILD)/site
SITE_ENV := $(BUILD)/site-env
SITE_PAGES := $(BUILD)/site-src

.PHONY: docs run-docs check-site
docs: packages
	@tools/install_packages.sh python3-venv libjs-katex
	@$(MAKE) --no-print-directory all reference $(SITE_ENV)/.made
	@$(MAKE) --no-print-directory run-docs

# Without what the environment or the folder of the user say; the same bytes every time.
SITE_PYTHON = PYTHONPATH=deliver/site PYTHONDONTWRITEBYTECODE=1 BUILD=$(BUILD)
run-docs:
	$(say) PAGES $(SITE_PAGES)
	$(Q)$(SITE_PYTHON) RECALLMODEL_LIBRARY="$(CURDIR)/$(SHARED)" \
	    RECALLMODEL_RUNS="$(CURDIR)/runs" $(PYTHON) deliver/site/prepare.py $(SITE_PAGES)
	$(say) SITE $(SITE)/index.html
	$(Q)$(SITE_PYTHON) SITE_PAGES="$(CURDIR)/$(SITE_PAGES)" NO_MKDOCS_2_WARNING=1 \
	    SOURCE_DATE_EPOCH=0 $(SITE_ENV)/bin/mkdocs build --strict --clean \
	    --config-file deliver/site/mkdocs.yml --site-dir "$(CURDIR)/$(SITE)" 2>$(BUILD)/site.log || \
	    { cat $(BUILD)/site.log >&2; exit 1; }
	$(Q)cd $(SITE) && rm -rf 404.html sitemap.xml* assets/javascripts/lunr \
	    assets/javascripts/*.map assets/javascripts/workers/*.map assets/stylesheets/*.map

$(SITE_ENV)/.made: deliver/site/requirements.txt
	@rm -rf $(@D)
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv $(@D)
	$(Q)$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

check-site:
	@tools/install_packages.sh chromium
	@PYTHONDONTWRITEBYTECODE=1 $(PYTHON) deliver/site/check_links.py $(SITE)
	@deliver/site/check_browser.sh $(SITE)
