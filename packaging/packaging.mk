# packaging.mk - a part of the Makefile: what is given to others. docs/packages.md says which
# package is for whom.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: dist deb check-packages
# Each block adds its tests: TARGETS_OF_PACKAGES += check-..
TARGETS_OF_PACKAGES :=

# ---- dist

# The source tarball of the commit that is checked out, the list of components in SPDX (SBOM), and
# the sums of both.
dist:
	@packaging/dist.sh $(VERSION) $(BUILD)/dist

.PHONY: check-dist
TARGETS_OF_PACKAGES += check-dist
check-dist: dist
	@JOBS=$(JOBS) packaging/test_dist.sh $(BUILD)/dist/recallmodel-$(VERSION).tar.gz
