# The user's settings; each may also be given on the command line: make CC=clang PREFIX=/opt/warptools
VERSION = 0.1.0
PREFIX  = /usr/local
DESTDIR =
BUILD   = build
CC      = gcc
AR      = ar
OPT     = -O3 -g
# Optimising the programs as a whole: gcc does so without further tools; empty: not.
LTO     = $(if $(findstring clang,$(CC)),,-flto=auto)
# Completions of fish: Debian's reads /usr/share and /etc, of /usr/local nothing unless XDG_DATA_DIRS says so.
FISHDIR = $(if $(filter /usr/local,$(PREFIX)),/etc/fish/completions,$(PREFIX)/share/fish/vendor_completions.d)
