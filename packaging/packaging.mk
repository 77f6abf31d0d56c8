# packaging.mk - a part of the Makefile: what is given to others. docs/packages.md says which
# package is for whom.
#
# SPDX-License-Identifier: Apache-2.0

.PHONY: dist deb check-packages
# Each block adds its tests, in a line check-packages: check-NAME.

# ---- dist

# The source tarball of the commit that is checked out, the list of components in SPDX (SBOM), and
# the sums of both.
dist:
	@packaging/dist.sh $(VERSION) $(BUILD)/dist

.PHONY: check-dist
check-packages: check-dist
check-dist: dist
	@JOBS=$(JOBS) packaging/test_dist.sh $(BUILD)/dist/recallmodel-$(VERSION).tar.gz

# ---- debian

# The Debian packages, from the tarball.
BUILD_DEPENDS = $(shell sed -n '/^Build-Depends:/,/^Stand/s/^.* \([a-z][a-z0-9-]*\).*/\1/p' \
    packaging/debian/control | sed 's/debhelper-compat/debhelper/')
deb: dist
	@tools/install_packages.sh dpkg-dev lintian $(BUILD_DEPENDS)
	@JOBS=$(JOBS) packaging/deb.sh $(BUILD)/dist/recallmodel-$(VERSION).tar.gz $(VERSION) \
	    $(BUILD)/deb

# They are installed, used and purged in a bare Debian root.
.PHONY: check-deb
check-packages: check-deb
check-deb: deb
	@tools/install_packages.sh mmdebstrap
	@packaging/test_deb.sh $(BUILD)/deb $(BUILD)/debian-root
