#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# stats-html: figures, quoting, and the page in a browser where Chromium is installed.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	local app
	app=$(trace streams)
	trace-sim -q -g rtx3070 -F json -o "$BATS_FILE_TMPDIR/a.json" --profile "$BATS_FILE_TMPDIR/a.prof" "$app"
	trace-sim -q -g rtx3070 -D gpgpu_l1_latency=80 -F msgpack -o "$BATS_FILE_TMPDIR/b.msgpack" "$app"
	trace-sim -q -g rtx3070 -D gpgpu_max_cycle=1 -F json -o "$BATS_FILE_TMPDIR/empty.json" "$app"
}
setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR"/*.* .
}

# Writes the JSON of a page into a file.
data_of() {
	python3 -c 'import re, sys; print(re.search(r"id=\"data\">(.*?)</script>", open(sys.argv[1]).read(), re.S)[1])' "$1" >data.json
}

# Writes a result with markup in each text.
hostile() {
	python3 - <<-'END'
	bad = '</script><script>document.title="x"</script><b onmouseover=alert(1)>&amp;"\''
	import json
	for name in "a.json", "a.prof":
	    out = open("bad." + name[2:], "w")
	    for line in open(name):
	        r = json.loads(line)
	        if r["record"] == "run":
	            r["given"]["define"] = bad
	            r["config"]["gpgpu_scheduler"] = bad
	        if r["record"] == "kernel":
	            r["name"] = bad
	            r["stats"] = {k.replace("STG", "<i>"): v for k, v in r["stats"].items()}
	        out.write(json.dumps(r) + "\n")
	END
}

needs_chromium() { command -v chromium >/dev/null || skip "Chromium is not installed"; }

# Opens a page in Chromium, runs the JavaScript of stdin in it, prints the title that it sets, and fails on console output.
browser() {
	{ cat "$1"; echo "<script>addEventListener('load', () => { document.title = 'no result';"; cat; echo "});</script>"; } >page.html
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-background-networking --user-data-dir="$PWD/profile" \
		--window-size=1200,900 --virtual-time-budget=4000 --enable-logging=stderr --dump-dom "file://$PWD/page.html" \
		>dom.html 2>log || fail "chromium: $(tail -n 3 log)"
	run -1 grep CONSOLE log
	sed -n 's|.*<title>\(.*\)</title>.*|\1|p' dom.html | tail -n 1
}

@test "figures agree with stats-csv" {
	stats-html -o page.htm --profile a.prof a.json
	data_of page.htm
	stats-csv --all-figures -s 'gpu_sim_cycle,gpu_sim_insn,gpu_ipc,achieved_occupancy,L1D_total_cache_*,L2_total_cache_*,dram_*_bytes' a.json >a.csv 2>/dev/null ||
		stats-csv -s 'gpu_sim_cycle,gpu_sim_insn,gpu_ipc,achieved_occupancy,L1D_total_cache_*,L2_total_cache_*,dram_*_bytes' a.json >a.csv
	python3 - <<-'END'
	import csv, json
	d = json.load(open("data.json"))
	rows = list(csv.DictReader(open("a.csv")))
	kernels = d["runs"][0]["kernels"]
	assert len(rows) == len(kernels) == 4
	for row, k in zip(rows, kernels):
	    assert int(row["id"]) == k[1]
	    for name, v in zip(d["figures"], k[3:]):
	        assert abs(float(row[name] or 0) - v) <= 1e-9 * abs(v), (name, row[name], v)
	assert d["runs"][0]["peaks"]["peak_bytes[dram]"] > 400
	first, *_, last = [json.loads(line) for line in open("a.json")]
	page = open("page.htm").read()
	assert "<dd>%s</dd>" % first["config_hash"] in page and "<dd>%s</dd>" % last["hash"] in page
	over = d["runs"][0]["over"]
	assert sum(over["insts"]) == sum(k[4] for k in kernels)
	assert len(over["sm"]["levels"]) == 46 * len(over["first"])
	END
	# the page contains the table without a script
	cycles=$(stats-csv -s gpu_sim_cycle -F tsv a.json | awk 'END { print $NF }')
	grep -q "<td>$cycles</td>" page.htm
}

@test "no text of an input becomes markup" {
	hostile
	stats-html -o page.htm --profile bad.prof --title '<script>x' bad.json a.json
	for bad in 'document.title="x"' '<b onmouseover' '<i>' '<script>x'; do
		run -1 grep -F "$bad" page.htm
	done
	run -0 grep -c '</script>' page.htm
	assert_output 2
	data_of page.htm
	python3 -m json.tool data.json >/dev/null
}

@test "names are demangled, and long names appear on hover" {
	sed 's/"name":"[^"]*"/"name":"_ZN3sum6reduceIiEEvPT_i"/' a.json >m.json
	stats-html -o page.htm m.json
	grep -q 'title="void sum::reduce&lt;int&gt;(int\*, int) grid' page.htm
	grep -q '>reduce</th>' page.htm
}

@test "a profile among runs is skipped, and a result is rejected as profile" {
	run -0 stats-html -o page.htm a.prof a.json
	assert_output --partial 'a.prof: warning: a profile is not a result: skipped'
	run -2 stats-html -f -o page.htm --profile a.json a.json
	assert_output --partial 'expected a file of trace-sim --profile'
	run -2 stats-html -f -o page.htm --profile a.prof --profile a.prof a.json
	run -2 stats-html -o a.json -f a.json
	run -2 stats-html nothing.json
}

@test "a directory stands for its files" {
	mkdir d
	cp a.json empty.json d
	stats-html -o page.htm d
	stats-html -o same.htm d/a.json d/empty.json
	cmp page.htm same.htm
}

@test "an incomplete run is shown, with exit status 1" {
	head -n 2 a.json >cut.json
	run -1 stats-html -q -o page.htm cut.json
	assert_output "stats-html: cut.json: error: the run is not complete: status cut"
	grep -q 'the run is not complete: status cut' page.htm
	run -0 stats-html -q -f -o page.htm empty.json
	grep -q 'status limit' page.htm
}

@test "a page of 100 kernels is small" {
	python3 - <<-'END'
	import json
	lines = [json.loads(l) for l in open("a.json")]
	k = [l for l in lines if l["record"] == "kernel"]
	out = open("many.json", "w")
	out.write(json.dumps(lines[0]) + "\n")
	for i in range(100):
	    out.write(json.dumps({**k[i % len(k)], "position": i + 1, "id": i + 1}) + "\n")
	out.write(json.dumps(lines[-1]) + "\n")
	END
	stats-html -o page.htm many.json
	[ "$(wc -c <page.htm)" -lt 200000 ]
	for i in 1 2 3; do cat many.json; done | sed 's/"record": "kernel"/&/' >three.json
	stats-html -q -o three.htm three.json
}

@test "source text is shown with the cycles of each line" {
	mkdir src
	printf 'int a;\nx = y < z; // <b>\n' >src/k.cu
	sed 's/STG.E\]/STG.E:k.cu:2]/g' a.prof >lines.prof
	stats-html -o page.htm --profile lines.prof --source src a.json
	grep -q 'x = y &lt; z; // &lt;b&gt;' page.htm
	run -1 grep -q 'has no source lines' page.htm
	sed 's/STG.E\]/STG.E:..\/..\/etc\/passwd:2]/g' a.prof >lines.prof
	stats-html -q -f -o page.htm --profile lines.prof --source src a.json
	run -1 grep -q 'root:' page.htm
	grep -q 'not found below the directory of --source' page.htm
	run -2 stats-html -f -o page.htm --profile lines.prof --source nowhere a.json
	assert_output --partial 'nowhere is not a directory'
}

# Writes instructions at lines of two files: STG at 40 of a.cu, LDG at 2 of b/h.cuh, others without a line.
lined() { sed -e 's/STG.E\]/STG.E:\/home\/u\/a.cu:40]/g' -e "s/LDG.E\]/LDG.E:${1-b\/h.cuh}:2]/g" a.prof >lines.prof; }

@test "source: files and lines show their instructions, with and without text" {
	lined
	mkdir -p src/b
	seq -f 'text %g' 60 >src/a.cu
	printf 'one\ntwo\n' >src/b/h.cuh
	stats-html -o page.htm --profile lines.prof --source src a.json
	python3 - <<-'END'
	import json, re
	page = open("page.htm").read()
	part = page[page.index('<section id="source">'):page.index('<section id="roofline">')]
	files = re.findall(r'<details class="file".*?</table></div></details>', part, re.S)
	names = [re.search("<b>(.*?)</b> ([0-9.]+) %", f).groups() for f in files]
	assert {n for n, _ in names} == {"/home/u/a.cu", "b/h.cuh"}, names
	shares = [float(s) for _, s in names]
	assert shares == sorted(shares, reverse=True)
	a = files[[n for n, _ in names].index("/home/u/a.cu")]
	shown = [int(n) for n in re.findall(r"<tr><td>(\d+)</td>", a)]
	assert shown == list(range(34, 47)), shown
	assert "<details open><summary>text 40</summary>" in a and a.count("STG.E") == a.count('<td class="code">')
	# the share of a line is the share of its instructions in the profile
	rows = [json.loads(l) for l in open("lines.prof")]
	cycles = sum(v for r in rows if r["record"] == "kernel" for k, v in r["stats"].items() if ".cycles[" in k)
	stg = sum(v for r in rows if r["record"] == "kernel" for k, v in r["stats"].items() if "STG.E:" in k and ".cycles[" in k)
	line = re.search(r"<tr><td>40</td><td>([0-9.]+)</td>", a)
	assert abs(float(line[1]) - 100 * stg / cycles) < 0.06, (line[1], 100 * stg / cycles)
	END
	# without source text: the lines with their instructions, and all instructions
	stats-html -f -o page.htm --profile lines.prof a.json
	grep -q '<summary>line 40</summary>' page.htm
	grep -q '<td class="word" title="/home/u/a.cu">a.cu:40</td>' page.htm
	run -1 grep -q 'text 40' page.htm
	# no lines at all: one message
	stats-html -f -o page.htm --profile a.prof a.json
	[ "$(grep -c 'has no source lines' page.htm)" = 1 ]
	run -1 grep -q '<details class="file"' page.htm
}

@test "source: nothing outside the directory is read" {
	mkdir -p src/b secret
	echo hidden-text | tee secret/h.cuh >src/../h.cuh
	ln -s ../../secret/h.cuh src/b/link.cuh
	ln -s ../secret src/dir
	mkfifo src/b/pipe.cuh
	truncate -s 1G src/b/huge.cuh
	for name in ..\\/h.cuh b\\/..\\/..\\/h.cuh b\\/link.cuh dir\\/h.cuh "${PWD//\//\\/}\\/secret\\/h.cuh" b\\/pipe.cuh b \
		b\\/huge.cuh; do
		lined "$name"
		run -0 timeout 20 stats-html -q -f -o page.htm --profile lines.prof --source src a.json
		run -1 grep -q hidden-text page.htm
		grep -q 'not found below' page.htm
	done
	# a link within the directory and a name that starts with .. are accepted
	echo shown-text >src/real.cuh
	ln -s ../real.cuh src/b/inner.cuh
	for name in b\\/inner.cuh ..\\/..\\/b\\/inner.cuh; do
		lined "$name"
		stats-html -q -f -o page.htm --profile lines.prof --source src a.json
		grep -q shown-text page.htm
	done
}

@test "source: hostile names and text do not become markup" {
	mkdir src
	python3 - <<-'END'
	import json
	out = open("lines.prof", "w")
	for line in open("a.prof"):
	    r = json.loads(line)
	    if "stats" in r:
	        r["stats"] = {k.replace("STG.E]", 'STG.E:<img src=x onerror=alert(1)>\\x1b\\x5b.cu:1]'): v for k, v in r["stats"].items()}
	    out.write(json.dumps(r) + "\n")
	END
	printf '</td><script>alert(1)</script>\033[31m\n' >$'src/<img src=x onerror=alert(1)>\033[.cu'
	stats-html -o page.htm --profile lines.prof --source src a.json
	run -1 grep -F -e '<img' -e '<script>alert' -e $'\033' page.htm
	grep -qF '&lt;script&gt;alert(1)' page.htm
}

# Writes model.json, the kernels of tests/data/correlate/model.csv, and more.json, the same with 15 % more cycles.
model() {
	python3 - <<-'END'
	import json
	rows = [json.loads(l) for l in open("a.json")]
	kernels = [r for r in rows if r["record"] == "kernel"]
	launches = [("_Z9vectorAddPKfS0_Pfi", 5500), ("_Z9vectorAddPKfS0_Pfi", 4000), ("_Z6reduceIfLi256EEvPT_S1_", 8000)]
	for name, factor in ("model.json", 1), ("more.json", 1.15):
	    rows[0]["config"]["gpgpu_clock_domains"] = "1250.0:1250.0:1250.0:5000.0"
	    with open(name, "w") as out:
	        out.write(json.dumps(rows[0]) + "\n")
	        for i, (kernel, cycles) in enumerate(launches):
	            stats = {**kernels[i]["stats"], "gpu_sim_cycle": round(cycles * factor)}
	            out.write(json.dumps({**kernels[i], "name": kernel, "position": i + 1, "stats": stats}) + "\n")
	        out.write(json.dumps(rows[-1]) + "\n")
	END
}

@test "measured: the pairs agree with examples/plots/correlate for each profiler" {
	model
	data=$ROOT/tests/data/correlate
	printf '%s\n' cycles=cycles 'time (ns)=time' 'warp instructions=warp_instructions' 'L1 hit rate (%)=l1_hit_rate' \
		'thread instructions=thread_instructions' 'L2 hit rate (%)=l2_hit_rate' 'bytes read from DRAM=dram_read_bytes' \
		'bytes written to DRAM=dram_write_bytes' 'bytes of DRAM=dram_bytes' 'DRAM bandwidth (bytes/s)=dram_bandwidth' \
		'occupancy (%)=occupancy' >titles
	for file in ncu-details ncu-raw nsys-trace nsys-sum nvprof-trace nvprof-metrics plain model units; do
		stats-html -q -f -o page.htm --measured "$data/$file.csv" model.json
		data_of page.htm
		rm -f c.tsv
		python3 "$ROOT/examples/plots/correlate" -o c -c 1250 -n 46 model.json "$data/$file.csv" >said 2>/dev/null
		python3 - "$file" <<-'END'
		import csv, json, sys
		data, titles = json.load(open("data.json")), dict(line.split("=") for line in open("titles").read().splitlines())
		page = {(titles[title], n, launch): tuple(values[2 * i:2 * i + 2]) for i, (title, _) in enumerate(data["metrics"])
		        for _, n, launch, *values in data["measured"] if values[2 * i] is not None}
		other = {}
		for r in csv.DictReader(open("c.tsv"), delimiter="\t"):
		    name = "reduce" if "reduce" in r["kernel"] else "vectorAdd"
		    other[r["metric"], name, 0 if r["launch"] == "mean" else int(r["launch"])] = (float(r["B"]), float(r["A"]))
		assert page.keys() == other.keys() and page, (sys.argv[1], page.keys() ^ other.keys())
		for k in page:
		    assert all(abs(a - b) <= 1e-6 * b for a, b in zip(page[k], other[k])), (sys.argv[1], k, page[k], other[k])
		END
		sed -n 's/^[a-z0-9_]*: \([0-9]*\) kernels, mean absolute error \([0-9.]*\) \([%a-z]*\), median \([0-9.]*\) .*/\1 \2 \4 \3/p' said >expected
		sed -n 's/.*<td class="word">[^<]*<.td><td>\([0-9]*\)<.td><td>\([0-9.]*\)<.td><td>\([0-9.]*\)<.td><td class="word">\(%\|points\)<.*/\1 \2 \3 \4/p' page.htm >shown
		[ -s expected ]
		diff expected shown
	done
	# the measured cycles are sums over SMs, of which the configuration has 46
	stats-html -q -f -o page.htm --measured "$data/nvprof-metrics.csv" model.json
	data_of page.htm
	python3 -c 'import json; m = json.load(open("data.json"))["measured"]; assert len(m) == 2 and abs(m[0][3] - 4500 * 80 / 46) < 1e-6, m'
}

@test "measured: kernels by name and launch, other runs, one file for each run" {
	printf 'kernel,cycles\nwrite,5000\nread,6000\nwrite,7000\nother,1\n' >measured.csv
	stats-html -o page.htm --measured measured.csv a.json
	data_of page.htm
	python3 -c '
import json
m = json.load(open("data.json"))["measured"]
assert [(n, l, x) for _, n, l, x, *_ in m] == [("write", 1, 5000), ("read", 1, 6000), ("write", 2, 7000)], m'
	grep -q '1 measured and 1 simulated kernels have no counterpart' page.htm
	stats-html -f -o page.htm --measured b.msgpack a.json
	data_of page.htm
	python3 -c 'import json; assert len(json.load(open("data.json"))["measured"]) == 4'
	model
	printf 'kernel,cycles\nreduce,9000\n' >one.csv
	printf 'kernel,time\nreduce,8 us\n' >two.csv
	stats-html -f -o page.htm --measured one.csv --measured two.csv model.json more.json
	data_of page.htm
	python3 -c '
import json
m = json.load(open("data.json"))["measured"]
assert m == [[0, "reduce", 1, 9000, 8000, None, None], [1, "reduce", 1, 10000, 9200, 8000, 7360]], m'
	run -2 stats-html -f -o page.htm --measured one.csv --measured two.csv model.json
	assert_output --partial 'expected one, or one per run'
}

@test "measured: damaged and foreign files are rejected" {
	for text in 'a,b\n1,2\n' 'kernel,colour\nwrite,red\n' '' 'kernel,cycles\n' 'kernel,cycles\nwrite,nan\n' 'kernel,cycles\nwrite,-5\n'; do
		printf "$text" >wrong.csv
		run -2 stats-html -f -o page.htm --measured wrong.csv a.json
		assert_output --partial 'wrong.csv:'
		assert_output --partial expected
	done
	printf 'kernel,cycles\nnothing,5\n' >wrong.csv
	run -2 stats-html -f -o page.htm --measured wrong.csv a.json
	assert_output --partial 'no kernel is both measured and simulated'
	run -2 stats-html -f -o page.htm --measured none.csv a.json
	assert_output --partial 'none.csv: error: cannot be opened: No such file or directory'
	run -2 stats-html -f -o page.htm --measured "$ROOT/README.md" a.json
	printf '"kernel","cycles"\n"write","5000"\n"read","6000' >open.csv
	run -0 stats-html -q -f -o page.htm --measured open.csv a.json
	head -c 100000 /dev/urandom >random.csv
	run -2 stats-html -f -o page.htm --measured random.csv a.json
	printf 'kernel,cycles\n"</script><b onmouseover=x>",5\nwrite,5\n' >bad.csv
	stats-html -q -f -o page.htm --measured bad.csv a.json
	run -1 grep -F '<b onmouseover' page.htm
}

@test "measured: thousands of launches become one point for each name" {
	python3 - <<-'END'
	import json
	rows = [json.loads(l) for l in open("a.json")]
	k = next(r for r in rows if r["record"] == "kernel")
	with open("many.json", "w") as out, open("many.csv", "w") as table:
	    out.write(json.dumps(rows[0]) + "\n")
	    table.write("kernel,cycles\n")
	    for i in range(3000):
	        out.write(json.dumps({**k, "name": "k%d" % (i % 7), "position": i + 1, "id": i + 1}) + "\n")
	        table.write("k%d,%d\n" % (i % 7, 1000 + i))
	    out.write(json.dumps(rows[-1]) + "\n")
	END
	stats-html -q -o page.htm --measured many.csv many.json
	data_of page.htm
	python3 -c 'import json; m = json.load(open("data.json"))["measured"]; assert len(m) == 7 and all(p[2] == 0 for p in m), m'
}

@test "browser: one run can be sorted, filtered, zoomed and hovered" {
	needs_chromium
	stats-html -o page.htm --profile a.prof a.json
	run -0 browser page.htm <<-'END'
		const rows = () => [...document.querySelectorAll("#kernels tbody tr")];
		const cycles = () => rows().map(r => +r.cells[2].textContent);
		const head = document.querySelectorAll("#kernels thead th")[2];
		head.click();
		const down = cycles().every((v, i, a) => !i || a[i - 1] >= v);
		head.click();
		const up = cycles().every((v, i, a) => !i || a[i - 1] <= v);
		const filter = document.getElementById("filter");
		filter.value = "read";
		filter.dispatchEvent(new Event("input"));
		const filtered = rows().filter(r => !r.hidden).length;
		const canvas = document.querySelector("#charts canvas"), box = canvas.getBoundingClientRect();
		const send = (type, x) => canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + 20, pointerId: 1, bubbles: true}));
		canvas.setPointerCapture = () => {};
		send("pointermove", 200);
		const tip = document.getElementById("tip"), hovered = tip.style.display === "block" && tip.textContent.startsWith("cycle ");
		const whole = document.getElementById("range").textContent;
		send("pointerdown", 200); send("pointermove", 400); send("pointerup", 400);
		const zoomed = document.getElementById("range").textContent !== whole;
		document.getElementById("all").click();
		const back = document.getElementById("range").textContent === whole;
		document.title = [down, up, filtered, hovered, zoomed, back, document.querySelectorAll("canvas").length].join(" ");
	END
	assert_output "true true 2 true true true 9"
}

@test "browser: the charts and the table can be used with the keyboard" {
	needs_chromium
	stats-html -o page.htm --profile a.prof a.json
	run -0 browser page.htm <<-'END'
		const press = (element, key) => { element.focus(); document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})); };
		const canvas = document.querySelector("#charts canvas");
		const range = () => document.getElementById("range").textContent.match(/[\d,]+/g).map(s => +s.replaceAll(",", ""));
		const [first, last] = range(), near = (a, b) => Math.abs(a - b) < 3, quarter = last / 4;
		press(canvas, "+");
		const closer = near(range()[0], quarter) && near(range()[1], last - quarter);
		press(canvas, "ArrowRight"); press(canvas, "ArrowRight"); press(canvas, "ArrowRight");
		const moved = near(range()[1], last) && near(range()[0], last - 2 * quarter);
		press(canvas, "-");
		const wider = range()[0] < last - 2 * quarter;
		press(canvas, "0");
		const whole = range()[0] === first && range()[1] === last, head = document.querySelectorAll("#kernels thead th")[2];
		press(head, " ");
		document.title = [closer, moved, wider, whole, head.getAttribute("aria-sort")].join(" ");
	END
	assert_output "true true true true descending"
}

@test "browser: without JavaScript the tables are shown, and a sentence replaces the charts" {
	needs_chromium
	stats-html -o page.htm --profile a.prof a.json
	python3 -c 'import html; print("<iframe sandbox=allow-same-origin srcdoc=\"%s\"></iframe>" % html.escape(open("page.htm").read()))' >frame.htm
	cat >>frame.htm <<-'END'
		<script>addEventListener("load", () => {
			const page = document.querySelector("iframe").contentDocument, rows = page.querySelectorAll("#kernels tbody tr").length;
			document.title = [rows, page.querySelectorAll("canvas, svg").length, page.querySelectorAll("noscript > p").length,
				[...page.querySelectorAll(".needs-script")].every(e => !e.checkVisibility())].join(" ");
		});</script>
	END
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-background-networking --user-data-dir="$PWD/profile" \
		--virtual-time-budget=4000 --dump-dom "file://$PWD/frame.htm" >dom.html 2>log || fail "chromium: $(tail -n 3 log)"
	run -0 sed -n 's|.*<title>\(.*\)</title>.*|\1|p' dom.html
	assert_line --regexp '^[1-9][0-9]* 0 2 true$'
}

@test "browser: no page scrolls sideways in a narrow window" {
	needs_chromium
	stats-html -o page.htm --profile a.prof a.json b.msgpack
	python3 -c 'import html; print("<iframe width=390 height=900 srcdoc=\"%s\"></iframe>" % html.escape(open("page.htm").read()))' >frame.htm
	run -0 browser frame.htm <<-'END'
		const page = document.querySelector("iframe").contentDocument.documentElement;
		document.title = page.clientWidth > 300 && page.scrollWidth <= page.clientWidth ? "fits" : page.scrollWidth + " of " + page.clientWidth;
	END
	assert_output "fits"
}

@test "browser: each chart has a name for screen readers" {
	needs_chromium
	stats-html -o page.htm --profile a.prof a.json b.msgpack
	run -0 browser page.htm <<-'END'
		const charts = [...document.querySelectorAll("canvas, main svg")], named = charts.filter(e => e.getAttribute("role") === "img" && e.getAttribute("aria-label"));
		document.title = [charts.length > 3, charts.length - named.length, document.querySelector("canvas").getAttribute("aria-label")].join(" ");
	END
	assert_output --regexp '^true 0 [A-Za-z]+'
}

@test "browser: without a profile a sentence replaces the heat maps, and there is no legend of stall reasons" {
	needs_chromium
	trace-sim -q -g rtx3070 -F json -o interval.json --interval 500 "$(trace streams)"
	stats-html -o page.htm interval.json
	run -0 browser page.htm <<-'END'
		document.title = [document.querySelectorAll("#charts canvas").length, document.getElementById("heat").textContent,
			document.querySelector("#kernels .legend").checkVisibility(), document.querySelector("#kernels thead").textContent.includes("stall")].join(" ");
	END
	assert_output --regexp '^[1-9] Heat maps require a profile[.] false false$'
}

@test "browser: source lines open to show their instructions" {
	needs_chromium
	lined
	mkdir src
	seq -f 'text %g' 60 >src/a.cu
	stats-html -o page.htm --profile lines.prof --source src a.json
	run -0 browser page.htm <<-'END'
		const files = document.querySelectorAll("#source details.file"), lines = files[0].querySelectorAll("td.text > details");
		const table = document.querySelector("table.all-insts"), shares = () => [...table.tBodies[0].rows].map(r => +r.cells[4].textContent);
		const hottest = shares().every((v, i, a) => !i || a[i - 1] >= v);
		for (const f of files) f.open = true;
		const inner = document.querySelector("#source details.file td.text details table.insts"), hidden = () => !inner.checkVisibility();
		const line = inner.closest("details"), before = hidden();
		line.querySelector("summary").click();
		document.title = [files.length, lines.length, hottest, before, hidden()].join(" ");
	END
	assert_output "2 1 true false true"
}

@test "browser: the roofline shows the kernels by DRAM and by L2 under the peaks and bandwidths" {
	python3 - <<-'END'
	import json
	none, fp = open("none.prof", "w"), open("fp.prof", "w")
	for line in open("a.prof"):
	    r = json.loads(line)
	    if r["record"] == "kernel":
	        r["stats"] = {k: v for k, v in r["stats"].items() if not k.startswith("operations[")}
	    none.write(json.dumps(r) + "\n")
	    if r["record"] == "kernel":
	        r["stats"].update({"operations[fp32]": 64000, "operations[tensor_fp16]": 128000})
	    fp.write(json.dumps(r) + "\n")
	END
	stats-html -o page.htm --profile none.prof a.json
	grep -q 'The kernels have no floating-point and no tensor operations' page.htm
	stats-html -f -o page.htm --profile fp.prof a.json
	python3 - <<-'END'
	import json, re
	page = open("page.htm").read()
	kernels = [json.loads(l)["stats"] for l in open("a.json") if '"record":"kernel"' in l]
	rows = re.findall(r"<tr>(<th>(?:write|read)</th><td>(?:fp32|tensor_fp16)</td>.*?)</tr>", page)
	assert len(rows) == 8, len(rows)
	cells = re.findall("<td>(.*?)</td>", rows[0])
	bytes_of_l2 = kernels[0]["L2_total_cache_accesses"] * 32
	assert float(cells[4]) == float("%.3g" % (64000 / 6144)) and float(cells[6]) == float("%.3g" % (64000 / bytes_of_l2)), cells
	END
	needs_chromium
	run -0 browser page.htm <<-'END'
		const plot = document.querySelector("#roof svg"), texts = [...plot.querySelectorAll("text")].map(t => t.textContent);
		const count = [...plot.querySelectorAll(".dot")].length, open = plot.querySelectorAll(".dot.open").length, roofs = plot.querySelectorAll(".roof").length;
		document.title = [count, open, roofs, texts.some(t => /^fp32 /.test(t)), texts.some(t => /^tensor_fp16 /.test(t)), texts.some(t => /^DRAM .*GB.s$/.test(t)), texts.some(t => /^L2 .*GB.s$/.test(t))].join(" ");
	END
	assert_output "10 8 4 true true true true"
}

@test "browser: measured kernels of two runs have their names on the plot" {
	needs_chromium
	model
	stats-html -o page.htm --measured "$ROOT/tests/data/correlate/ncu-raw.csv" model.json more.json
	run -0 browser page.htm <<-'END'
		const plot = document.querySelector("#scatter svg"), dots = [...plot.querySelectorAll(".dot")], names = [...plot.querySelectorAll(".name")].map(t => t.textContent);
		const box = dots[0].getBoundingClientRect(), tip = document.getElementById("tip");
		dots[0].dispatchEvent(new PointerEvent("pointermove", {clientX: box.left, clientY: box.top, bubbles: true}));
		const hovered = tip.textContent.replaceAll("\n", "/");
		const inside = dots.every(d => +d.getAttribute("cx") > 64 && +d.getAttribute("cy") > 0 && +d.getAttribute("cy") < 600);
		document.title = [dots.length, names.length, names.includes("reduce"), inside, document.querySelectorAll("#scatter .legend span").length, hovered].join(" ");
	END
	assert_output "6 6 true true 2 vectorAdd/model.json/measured 5000/simulated 5500/+10.0%"
	# another metric: rates have linear axes and errors in points
	run -0 browser page.htm <<-'END'
		const select = document.getElementById("metric"), titles = [...select.options].map(o => o.textContent);
		select.value = titles.indexOf("occupancy (%)");
		select.dispatchEvent(new Event("change"));
		const plots = document.querySelectorAll("#scatter svg"), dots = [...plots[0].querySelectorAll(".dot")], texts = [...plots[0].querySelectorAll("text")].map(t => t.textContent);
		const box = dots[0].getBoundingClientRect(), tip = document.getElementById("tip");
		dots[0].dispatchEvent(new PointerEvent("pointermove", {clientX: box.left, clientY: box.top, bubbles: true}));
		document.title = [titles.length, plots.length, dots.length, texts.includes("measured occupancy (%)"), texts.includes("dashed: ±10 points"), /measured 75.*points$/.test(tip.textContent.replaceAll("\n", "/"))].join(" ");
	END
	assert_output "11 1 6 true true true"
}

@test "browser: a sweep, an empty run, hostile names" {
	needs_chromium
	hostile
	stats-html -o sweep.htm a.json b.msgpack a.json
	run -0 browser sweep.htm <<<'document.title = document.querySelectorAll(".matrix tbody td").length + " " + document.querySelectorAll("#kernels table").length;'
	assert_output "12 3"
	stats-html -q -o empty.htm empty.json
	run -0 browser empty.htm <<<'document.title = document.querySelectorAll("canvas").length + " " + performance.getEntriesByType("resource").length;'
	assert_output "0 0"
	stats-html -o bad.htm --profile bad.prof bad.json
	run -0 browser bad.htm <<<'document.title = document.querySelectorAll("b[onmouseover]").length + " " + document.querySelectorAll("#kernels tbody tr").length;'
	assert_output "0 4"
}
