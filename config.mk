# Settings of the user; each can also be given on the command line: make CC=clang PREFIX=/opt/warptools
VERSION = 0.2.0
PREFIX  = /usr/local
DESTDIR =
BUILD   = build
CC      = gcc
AR      = ar
OBJCOPY = objcopy
OPT     = -O3 -g
# Link-time optimisation; empty: off. With clang it would require additional tools.
LTO     = $(if $(findstring clang,$(CC)),,-flto=auto)
# Installed files are stripped; empty: they keep the symbols for debuggers.
INSTALL_STRIP = -s
# Directory of libwarptools; Debian's packages use /usr/lib/x86_64-linux-gnu and the like.
SOLIBDIR = $(PREFIX)/lib
# On Debian, fish reads completions only from /usr/share and /etc.
ifeq ($(PREFIX),/usr/local)
FISHDIR = /etc/fish/completions
else
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
endif
