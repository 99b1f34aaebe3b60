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
