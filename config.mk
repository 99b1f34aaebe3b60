# Settings of the user; each may also be given on the command line: make CC=clang PREFIX=/opt/warptools
VERSION = 0.2.0
PREFIX  = /usr/local
DESTDIR =
BUILD   = build
CC      = gcc
AR      = ar
OBJCOPY = objcopy
OPT     = -O3 -g
# Link-time optimisation; empty switches it off. clang would need more tools for it.
LTO     = $(if $(findstring clang,$(CC)),,-flto=auto)
# Installed files are stripped; empty: they keep what a debugger reads.
INSTALL_STRIP = -s
# libwarptools; Debian's packages have it in /usr/lib/x86_64-linux-gnu and the like.
SOLIBDIR = $(PREFIX)/lib
# fish on Debian reads completions from /usr/share and /etc only.
ifeq ($(PREFIX),/usr/local)
FISHDIR = /etc/fish/completions
else
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
endif
