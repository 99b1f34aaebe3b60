/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the event log; see events.h. */
#include "events.h"
#include "instrument/line.h"

#define LINE_MAX_BYTES 192

/* Begins a line with "CYCLE<TAB>KIND". Returns the end of the text. */
static char *begin_event(char *line, uint64_t cycle, const char *kind)
{
	char *p = line_append_decimal(line, cycle);

	*p++ = '\t';
	return line_append_string(p, kind);
}

static char *write_tab_decimal(char *p, uint64_t v)
{
	*p++ = '\t';
	return line_append_decimal(p, v);
}

static char *write_tab_hex(char *p, uint64_t v)
{
	*p++ = '\t';
	return line_append_hex(p, v);
}

static void end_event(struct events *e, char *line, char *p)
{
	*p++ = '\n';
	fwrite(line, 1, (size_t)(p - line), e->out);
}

void events_log_cta(struct events *e, uint64_t cycle, unsigned sm, unsigned slot, uint64_t ctaid)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_sm(&e->filter, cycle, sm))
		return;
	p = begin_event(line, cycle, "cta");
	p = write_tab_decimal(p, sm);
	p = write_tab_decimal(p, slot);
	end_event(e, line, write_tab_decimal(p, ctaid));
}

/* Begins the line of an event of a warp. Returns the end of the text. */
static char *begin_warp_event(char *line, uint64_t cycle, const char *kind, unsigned sm, unsigned warp)
{
	return write_tab_decimal(write_tab_decimal(begin_event(line, cycle, kind), sm), warp);
}

void events_log_issue(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc, unsigned scheduler)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	p = write_tab_hex(begin_warp_event(line, cycle, "issue", sm, warp), pc);
	end_event(e, line, write_tab_decimal(p, scheduler));
}

void events_log_writeback(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc)
{
	char line[LINE_MAX_BYTES];

	if (filter_has_warp(&e->filter, cycle, sm, warp))
		end_event(e, line, write_tab_hex(begin_warp_event(line, cycle, "writeback", sm, warp), pc));
}

void events_log_memdone(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint32_t pc)
{
	char line[LINE_MAX_BYTES];

	if (filter_has_warp(&e->filter, cycle, sm, warp))
		end_event(e, line, write_tab_hex(begin_warp_event(line, cycle, "memdone", sm, warp), pc));
}

void events_log_request(struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address,
	unsigned bytes, unsigned type, unsigned partition)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	p = write_tab_hex(begin_warp_event(line, cycle, "request", sm, warp), address);
	p = write_tab_decimal(p, bytes);
	p = write_tab_decimal(p, type);
	end_event(e, line, write_tab_decimal(p, partition));
}

void events_log_reply(
	struct events *e, uint64_t cycle, unsigned sm, unsigned warp, uint64_t address, unsigned type)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_warp(&e->filter, cycle, sm, warp))
		return;
	p = write_tab_hex(begin_warp_event(line, cycle, "reply", sm, warp), address);
	end_event(e, line, write_tab_decimal(p, type));
}

void events_log_l2(struct events *e, uint64_t cycle, unsigned partition, uint64_t address, unsigned type,
	unsigned status)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_cycle(&e->filter, cycle))
		return;
	p = write_tab_decimal(begin_event(line, cycle, "l2"), partition);
	p = write_tab_hex(p, address);
	p = write_tab_decimal(p, type);
	end_event(e, line, write_tab_decimal(p, status));
}

void events_log_dram(
	struct events *e, uint64_t cycle, unsigned channel, const char *command, unsigned bank, uint32_t row)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_cycle(&e->filter, cycle))
		return;
	p = write_tab_decimal(begin_event(line, cycle, "dram"), channel);
	*p++ = '\t';
	p = line_append_string(p, command);
	p = write_tab_decimal(p, bank);
	end_event(e, line, write_tab_hex(p, row));
}

void events_log_flit(
	struct events *e, bool in, unsigned subnet, unsigned node, uint64_t packet, unsigned flit)
{
	char line[LINE_MAX_BYTES], *p;

	if (!filter_has_cycle(&e->filter, e->now))
		return;
	p = begin_event(line, e->now, in ? "inject" : "eject");
	p = write_tab_decimal(p, subnet);
	p = write_tab_decimal(p, node);
	p = write_tab_decimal(p, packet);
	end_event(e, line, write_tab_decimal(p, flit));
}
