// Missions whose tools return what the mission does not describe, in two or three forms: a program has to look first.

import { by, day, FAMILY, failure, GIVEN, list, pad, plusDays, random, range, round, sum, tool } from "./helpers.mjs";

export function sensorDumps() {
  const r = random(3518);
  const sites = ["Almhütte", "Bootshaus", "Cellar", "Dam", "Estuary", "Forest"];
  const dumps = {};
  const summaries = [];
  const start = Date.parse("2025-07-01T00:00:00Z");
  sites.forEach((site, i) => {
    const step = [10, 15, 20][i % 3];
    const n = 300 + r.int(0, 60);
    const tenths = [];
    let t = 150 + r.int(0, 60);
    for (let k = 0; k < n; k++) {
      t += r.int(-7, 7);
      if (t > 420) t -= 20;
      if (t < -80) t += 20;
      tenths.push(r.chance(0.06) ? null : t);
    }
    const first = start + r.int(0, 600) * 60000;
    const at = (k) => first + k * step * 60000;
    // Values are tenths of a degree of the unit of the device.
    let celsius = (k) => tenths[k] / 10;
    if (i % 3 === 0)
      dumps[site] = {
        unit: "C",
        start: new Date(first).toISOString(),
        step_minutes: step,
        missing: i ? -999 : null,
        values: tenths.map((x) => (x === null ? (i ? -999 : null) : x / 10)),
      };
    if (i % 3 === 1) {
      celsius = (k) => (tenths[k] / 10 - 32) / 1.8;
      tenths.forEach((x, k) => {
        if (x !== null) tenths[k] = 320 + 2 * x;
      });
      dumps[site] = {
        meta: { unit: "F", note: "readings without v are missing" },
        readings: r
          .shuffle(range(n))
          .map((k) => ({ ts: at(k) / 1000, ...(tenths[k] === null ? {} : { v: tenths[k] / 10 }) })),
      };
    }
    if (i % 3 === 2) {
      let last = 0;
      const deltas = tenths.map((x) => {
        if (x === null) return "x";
        const delta = x - last;
        last = x;
        return delta;
      });
      dumps[site] = {
        encoding:
          "delta: each number is added to the last value before it, the first to 0; x is missing; the value times scale is in degrees of the unit",
        unit: "C",
        scale: 0.1,
        first_ms: first,
        every_ms: step * 60000,
        chunks: range(Math.ceil(n / 50)).map((q) => deltas.slice(q * 50, q * 50 + 50).join(" ")),
      };
    }
    const present = range(n).filter((k) => tenths[k] !== null);
    const top = present.reduce((a, k) => (tenths[k] > tenths[a] ? k : a), present[0]);
    summaries.push({
      site,
      readings: present.length,
      mean_c: round(sum(present.map(celsius)) / present.length, 2),
      max_c: round(celsius(top), 1),
      max_at: `${new Date(at(top)).toISOString().slice(0, 16)}Z`,
    });
  });
  return {
    mission: `Summarize our temperature sensors. list_sites names the sites, dump gives what the sensor of a site has recorded. The dumps come from three kinds of devices and look accordingly: find out how; they say themselves what units they have and what marks a missing reading (a value that is null, or equals what "missing" says, or is not there). Degrees Fahrenheit must become Celsius: (F - 32) / 1.8. Give for each site, in the order of list_sites: readings, the number of readings that are not missing; mean_c, their mean in degrees Celsius, rounded to 2 decimals; max_c, the highest in degrees Celsius, rounded to 1 decimal; and max_at, its time in UTC as "2025-07-01T09:40Z".`,
    tools: {
      list_sites: tool("() -> [:string]", "Names of the sites", () => sites),
      dump: tool(
        "(site :string) -> :any",
        "All that the sensor of a site recorded",
        ({ site }) => dumps[site] ?? failure(`no site ${site}`),
      ),
    },
    signature: "() -> [{site :string, readings :int, mean_c :float, max_c :float, max_at :string}]",
    expected: summaries,
  };
}

export function reviewFindings() {
  const r = random(2519);
  const levels = ["info", "minor", "major", "critical"];
  const rules = list("unused-import, sql-injection, long-function, race, null-check, naming");
  const paths = list("src/app.ts, src/db/query.ts, src/db/pool.ts, lib/auth.go, lib/cache.go, web/form.tsx");
  const reviews = {};
  const hits = [];
  for (let i = 0; i < 22; i++) {
    const pr = 340 + i * 2;
    const files = {};
    const finds = [];
    for (const path of r.shuffle(paths).slice(0, r.int(1, 4))) {
      files[path] = {};
      for (let k = r.int(0, 5); k > 0; k--) {
        const line = String(r.int(1, 400));
        const f = { rule: r.pick(rules), level: r.int(0, 3), open: r.chance(0.6), by: r.pick(["bot", "ada", "lin"]) };
        files[path][line] = [...(files[path][line] ?? []), f];
        finds.push({ path, line: Number(line), ...f });
      }
    }
    if (i % 2)
      reviews[pr] = {
        pr,
        format: 2,
        files: Object.fromEntries(
          Object.entries(files).map(([p, ls]) => [
            p,
            {
              lines: Object.fromEntries(
                Object.entries(ls).map(([l, findings]) => [
                  l,
                  findings.map((f) => ({
                    rule: f.rule,
                    severity: levels[f.level].toUpperCase(),
                    state: f.open ? "open" : r.pick(["resolved", "wontfix"]),
                    author: f.by,
                  })),
                ]),
              ),
            },
          ]),
        ),
      };
    else
      reviews[pr] = {
        pr,
        format: 1,
        legend: { sev: levels, done: { y: "resolved", n: "open" } },
        comments: r.shuffle(finds).map((f) => ({
          where: `${f.path}:${f.line}`,
          tags: r.shuffle([`rule=${f.rule}`, `sev=${f.level}`, `done=${f.open ? "n" : "y"}`]).join(","),
          from: f.by,
        })),
      };
    for (const f of finds) hits.push({ pr, ...f });
  }
  const open = hits.filter((f) => f.open && f.level >= 2);
  const prs = Object.keys(reviews).map(Number);
  const count = (key) =>
    [...new Set(open.map((f) => f[key]))]
      .map((k) => ({ [key]: k, count: open.filter((f) => f[key] === k).length }))
      .sort(by((x) => [-x.count, x[key]]));
  const clean = prs.filter((p) => !open.some((f) => f.pr === p));
  return {
    mission: `What is still to do in our code reviews? get_review gives the findings of the pull request with a number; the numbers are in data/prs. The reviews have one of two formats (the key format says which); find out what they look like. The severities are, from low to high, info, minor, major and critical, in lower or upper case or as a number with a legend. Only findings matter that are open (not resolved, not wontfix) and at least major. Several findings can be on the same line, and each of them counts.
      Give: by_rule, the number of such findings for each rule that has any, most first, ties by rule; by_file, the same for each file path (with the key path), most first, ties by path; critical, the number of such findings that are critical; and clean, the pull requests without any such finding, in the order of data/prs.`,
    data: { prs },
    tools: {
      get_review: tool(
        "(pr :int) -> :map",
        "The review of a pull request",
        ({ pr }) => reviews[pr] ?? failure(`no review of ${pr}`),
      ),
    },
    signature:
      "() -> {by_rule [{rule :string, count :int}], by_file [{path :string, count :int}], critical :int, clean [:int]}",
    expected: {
      by_rule: count("rule"),
      by_file: count("path"),
      critical: open.filter((f) => f.level === 3).length,
      clean,
    },
  };
}

export function mailThreads() {
  const r = random(2520);
  const us = "lindenhof.example";
  const others = [
    "mara@kelp.example",
    "TOM.BECK@birch.example",
    "office@quarry.example",
    "ines@kelp.example",
    "pj@northsea.example",
  ];
  const ours = [`info@${us}`, `rooms@${us}`];
  const mails = [];
  const now = Date.parse("2025-06-20T08:00:00Z");
  const used = new Set();
  const dateHeader = (t, offset) => {
    const d = new Date(t + offset * 60000).toUTCString();
    const z = `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}${pad(Math.abs(offset) % 60)}`;
    return d.replace("GMT", z);
  };
  for (let i = 0; i < 26; i++) {
    const topic = `${r.pick(["Room", "Invoice", "Wedding", "Lost umbrella", "Breakfast"])} ${r.pick(["in July", "for two", "question", "for the team"])} ${i}`;
    let t = now - r.int(60, 18000) * 60000;
    let parent = null;
    const orphan = r.chance(0.15) ? `<gone${i}@elsewhere>` : null;
    const guest = r.pick(others);
    const n = r.int(1, 5);
    for (let k = 0; k < n; k++) {
      while (used.has(t)) t += 1000;
      used.add(t);
      const mine = k % 2 ? r.chance(0.8) : r.chance(0.1);
      const m = {
        id: `<${i}.${k}.${r.int(100, 999)}@mail>`,
        from: mine ? r.pick(ours) : guest,
        subject:
          (k || orphan ? r.pick(["Re: ", "RE: ", "AW: Re: ", "Fwd: "]) : "") +
          topic +
          (k && r.chance(0.3) ? " - urgent" : ""),
        t,
        parent: k ? parent.id : orphan,
        thread: i,
        topic,
      };
      mails.push(m);
      parent = r.chance(0.7) || k === 0 ? m : parent;
      t += r.int(5, 2500) * 60000;
      if (t > now) break;
    }
  }
  const encoded = (m) => {
    const from = r.pick([`${m.from.split("@")[0]} <${m.from}>`, `<${m.from}>`, m.from]);
    const hs = [
      ["Message-ID", m.id],
      ["From", from],
      ["Subject", m.subject],
      ["Date", dateHeader(m.t, r.pick([0, 120, -240, 330]))],
      ...(m.parent ? [["In-Reply-To", m.parent]] : []),
    ];
    return {
      headers: r.shuffle(hs).map(([k, v]) => [r.pick([k, k, k.toLowerCase(), k.toUpperCase()]), v]),
      size: r.int(900, 50000),
    };
  };
  const isOurs = (m) => m.from.toLowerCase().endsWith(`@${us}`);
  const inbox = mails.filter((m) => !isOurs(m) || r.chance(0.1));
  const sent = mails.filter((m) => isOurs(m) || !inbox.includes(m));
  const waiting = range(26)
    .map((i) => mails.filter((m) => m.thread === i).sort(by((m) => m.t)))
    .filter((ms) => ms.length && !isOurs(ms.at(-1)))
    .map((ms) => ({
      subject: ms[0].topic,
      from: ms.at(-1).from.toLowerCase(),
      hours: Math.floor((now - ms.at(-1).t) / 3600000),
      mails: ms.length,
      t: ms.at(-1).t,
    }))
    .sort(by((x) => x.t))
    .map(({ t, ...x }) => x);
  const mixed = r.shuffle(inbox);
  const folders = {
    inbox: {
      folder: "inbox",
      pages: [{ items: mixed.slice(0, 20).map(encoded) }, { items: mixed.slice(20).map(encoded) }],
    },
    sent: { folder: "sent", pages: [{ items: r.shuffle(sent).map(encoded) }] },
  };
  return {
    mission: `Which guests wait for an answer from us? get_folder gives the mails of the folders "inbox" and "sent" (find out what a folder looks like; names of headers can be in any case, and dates have offsets). A mail can be in both folders: it counts once. A mail belongs to the thread of the mail that its In-Reply-To names; one without In-Reply-To, or whose In-Reply-To names a mail that is in neither folder, begins a thread of its own. A thread waits if its latest mail was not written by an address that ends with @lindenhof.example.
      List the waiting threads, the one whose latest mail is oldest first, with: subject, that of its first mail without any prefixes Re:, RE:, AW:, Fwd: and the blanks after them (there can be several); from, the bare address that wrote the latest mail, in lower case; hours, the whole hours from the latest mail to data/now (rounded down); and mails, the number of mails in the thread.`,
    data: { now: "2025-06-20T08:00:00Z" },
    tools: {
      get_folder: tool(
        "(name :string) -> :any",
        "The mails in the folder inbox or sent",
        ({ name }) => folders[name] ?? failure(`no folder ${name}`),
      ),
    },
    signature: "() -> [{subject :string, from :string, hours :int, mails :int}]",
    expected: waiting,
  };
}

export function ancestors() {
  const r = random(3521);
  const persons = new Map();
  let next = 1;
  const make = (gen) => {
    const id = `P${String(next++).padStart(3, "0")}`;
    persons.set(id, {
      id,
      name: `${r.pick(GIVEN)} ${r.pick(FAMILY)} (${next - 1})`,
      born: 1985 - gen * 29 - r.int(-5, 5) - next / 1000,
      mother: null,
      father: null,
      gen,
    });
    return id;
  };
  const root = make(0);
  let level = [root];
  for (let g = 1; g <= 5; g++) {
    const up = [];
    for (const id of level)
      for (const side of ["mother", "father"]) {
        if (r.chance(g < 3 ? 0.03 : 0.22)) continue;
        const partners = up.filter((x) => persons.get(x).side === side);
        const p = g > 2 && partners.length && r.chance(0.15) ? r.pick(partners) : make(g);
        persons.get(p).side = side;
        persons.get(id)[side] = p;
        if (!up.includes(p)) up.push(p);
      }
    level = up;
  }
  const all = [...persons.values()];
  const lost = new Set(
    r
      .shuffle(all.filter((p) => p.gen > 3))
      .slice(0, 3)
      .map((p) => p.id),
  );
  const year = (p) => Math.floor(p.born);
  const records = {};
  for (const p of all) {
    const date = `${r.int(1, 28)} ${r.pick(["JAN", "MAR", "MAY", "SEP"])} ${year(p)}`;
    const k = r.int(0, 2);
    records[p.id] =
      k === 0
        ? {
            id: p.id,
            name: p.name,
            birth: { date, place: r.pick(["Husum", "Tønder", "Varel"]) },
            mother: p.mother,
            father: p.father,
          }
        : k === 1
          ? { type: "INDI", "@id": p.id, NAME: p.name, BIRT: date, PARENTS: [p.mother, p.father].filter(Boolean) }
          : {
              person: {
                key: p.id,
                names: [{ kind: "birth", text: p.name }],
                born: year(p),
                family: { parents: [p.father, p.mother].filter(Boolean).map((ref) => ({ ref })) },
              },
            };
  }
  // The generation in which each ancestor with a record is reached first, and the children on the ways to it.
  const seen = new Map();
  const childrenOf = {};
  let todo = [root];
  const generations = [];
  for (let g = 1; todo.length; g++) {
    const up = [];
    for (const id of todo) {
      const p = persons.get(id);
      for (const q of [p.mother, p.father])
        if (q && !lost.has(q)) {
          childrenOf[q] = (childrenOf[q] ?? new Set()).add(id);
          if (!seen.has(q)) {
            seen.set(q, g);
            up.push(q);
          }
        }
    }
    if (up.length) generations.push({ generation: g, people: up.length });
    todo = up;
  }
  const found = [...seen.keys()].map((id) => persons.get(id));
  const first = [...found].sort(by((p) => [year(p), p.name]))[0];
  const repeated = found
    .filter((p) => childrenOf[p.id].size > 1)
    .map((p) => p.name)
    .sort();
  return {
    mission: `Find the ancestors of the person with the id data/start. get_record gives the record of a person (name, birth, ids of the parents as far as they are known). The archive merged several collections, so records come in three different forms: find out which (tell them apart by their keys). get_record gives nil for a person whose record is lost: leave that person out, and with that those who are reached only through it. Parents are generation 1, their parents 2 and so on; a person who is reached on ways of different lengths belongs to the lowest generation, and everybody counts once.
      Give: generations, the generation and its number of people (those with a record), from 1 up to the last that has any; earliest, the name and year of birth of the ancestor who was born first (by year; there is only one); and repeated, the names of the ancestors who are a parent of at least two different people among the start person and the ancestors, sorted.`,
    data: { start: root },
    tools: {
      get_record: tool("(id :string) -> :any", "The record of a person", ({ id }) =>
        lost.has(id) ? null : (records[id] ?? failure(`no person ${id}`)),
      ),
    },
    signature:
      "() -> {generations [{generation :int, people :int}], earliest {name :string, year :int}, repeated [:string]}",
    expected: { generations, earliest: { name: first.name, year: year(first) }, repeated },
  };
}

export function abTests() {
  const r = random(2522);
  const names = list("banner, checkout-button, font, price-page, search-box, trial-length");
  const exported = {};
  const out = [];
  const listed = r.shuffle(names);
  const days = range(10).map((i) => plusDays("2025-05-01", i));
  const withCommas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
  names.forEach((experiment, i) => {
    const arms = r.shuffle(["A", "B", "C"].slice(0, r.int(2, 3)));
    const control = r.pick(arms);
    const excluded = r.shuffle(days).slice(0, r.int(0, 3));
    const rate = Object.fromEntries(arms.map((a) => [a, r.int(30, 60)]));
    const cells = arms.flatMap((arm) =>
      days.map((d) => {
        const visitors = r.int(400, 2600);
        return { arm, day: d, visitors, orders: Math.floor((visitors * (rate[arm] + r.int(-9, 9))) / 1000) };
      }),
    );
    if (i % 3 === 0) {
      const cols = r.shuffle(["arm", "day", "visitors", "orders"]);
      exported[experiment] = {
        columns: cols,
        rows: r.shuffle(cells).map((c) => cols.map((k) => c[k])),
        control,
        excluded_days: excluded,
      };
    }
    if (i % 3 === 1)
      exported[experiment] = {
        arms: arms.map((key) => ({
          key,
          baseline: key === control,
          daily: Object.fromEntries(
            cells
              .filter((c) => c.arm === key)
              .map((c) => [c.day, { visitors: withCommas(c.visitors), orders: withCommas(c.orders) }]),
          ),
        })),
        excluded_days: excluded.length ? excluded : null,
      };
    if (i % 3 === 2)
      exported[experiment] = {
        settings: { control_arm: control, excluded_days: excluded.join(" ") },
        days: days.map((d) => ({
          day: d,
          results: Object.fromEntries(
            cells.filter((c) => c.day === d).map((c) => [c.arm, `${c.orders}/${c.visitors}`]),
          ),
        })),
        note: "results: orders/visitors",
      };
    const total = (a, k) => sum(cells.filter((c) => c.arm === a && !excluded.includes(c.day)).map((c) => c[k]));
    const n0 = total(control, "visitors");
    const x0 = total(control, "orders");
    for (const arm of [...arms].sort().filter((a) => a !== control)) {
      const n = total(arm, "visitors");
      const x = total(arm, "orders");
      const p = (x + x0) / (n + n0);
      const z = (x / n - x0 / n0) / Math.sqrt(p * (1 - p) * (1 / n + 1 / n0));
      out.push({
        experiment,
        arm,
        visitors: n,
        orders: x,
        lift_percent: round((100 * (x / n)) / (x0 / n0) - 100, 2),
        z: round(z, 2),
        significant: Math.abs(z) >= 1.96,
      });
    }
  });
  return {
    mission: `Evaluate our A/B tests. list_experiments names them; get_export gives the numbers of visitors and orders of one, by arm and day, in one of three layouts (find out which; numbers can be texts with commas, 1,234). Each export says which arm is the control, and which days are excluded, if any: they do not count, in any arm. Add up the other days. The rate of an arm is orders / visitors. For every arm except the control give, sorted by experiment, then arm: experiment, arm, visitors and orders of the arm, lift_percent = 100 * (rate / rate of the control) - 100, rounded to 2 decimals, z, rounded to 2 decimals, and significant, whether the unrounded z is at least 1.96 or at most -1.96. z = (rate - rate of the control) / sqrt(p * (1 - p) * (1 / visitors + 1 / visitors of the control)), where p = (orders of both arms together) / (visitors of both together).`,
    tools: {
      list_experiments: tool("() -> [:string]", "Names of the experiments", () => listed),
      get_export: tool(
        "(experiment :string) -> :any",
        "The numbers of an experiment",
        ({ experiment }) => exported[experiment] ?? failure(`no experiment ${experiment}`),
      ),
    },
    signature:
      "() -> [{experiment :string, arm :string, visitors :int, orders :int, lift_percent :float, z :float, significant :bool}]",
    expected: out,
  };
}

export function cottageStays() {
  const r = random(2523);
  const names = list(
    "Austernfischer, Brachvogel, Kiebitz, Lachmöwe, Regenpfeifer, Rotschenkel, Seeadler, Strandläufer, Uferschwalbe, Wattwurm",
  );
  const cottages = {};
  const best = [];
  const months = { "2025-07": 31, "2025-08": 31 };
  names.forEach((name, i) => {
    const id = `c-${40 + i}`;
    const beds = range(r.int(1, 4)).map(() => r.int(1, 3));
    const persons = sum(beds);
    const days = range(62).map((k) => plusDays("2025-07-01", k));
    const busy = new Set();
    let k = 0;
    while (k < 62) {
      k += r.int(0, 12);
      for (let n = r.int(3, 9); n > 0 && k < 62; n--) busy.add(days[k++]);
    }
    const change = plusDays("2025-07-10", r.int(0, 20));
    const low = r.int(6, 14) * 10;
    const high = low + r.int(1, 6) * 10;
    const clean = r.chance(0.7) ? r.int(4, 9) * 10 : 0;
    const dog = r.int(1, 4) * 10;
    const price = (d) => (d < change ? high : low);
    const calendar = Object.fromEntries(
      Object.entries(months).map(([m, n]) => [
        m,
        range(n)
          .map((q) => (busy.has(`${m}-${pad(q + 1)}`) ? (i % 2 ? "x" : "1") : i % 2 ? "." : "0"))
          .join(""),
      ]),
    );
    cottages[id] =
      i % 2
        ? {
            id,
            title: name,
            beds,
            calendar: { legend: { x: "booked", ".": "free" }, months: calendar },
            seasons: [
              { from: change, to: "2025-08-31", night_eur: low },
              { from: "2025-07-01", to: plusDays(change, -1), night_eur: high },
            ],
            fees: [{ kind: "dog", eur: dog }, ...(clean ? [{ kind: "cleaning", eur: clean }] : [])],
          }
        : {
            house: { ref: id, name },
            capacity: { persons, rooms: beds.length },
            occupied: { note: "one digit for each day: 1 booked, 0 free", ...calendar },
            rates: {
              default: low,
              until: { [change]: high },
              note: "the rate in until holds for nights before the date, the default from it on",
            },
            extras: { dog, ...(clean ? { cleaning: clean } : {}) },
          };
    if (persons < 5) return;
    const stays = days
      .filter(
        (d, q) => new Date(day(d)).getUTCDay() === 6 && q + 7 <= 62 && range(7).every((w) => !busy.has(days[q + w])),
      )
      .map((arrive) => ({ id, arrive, total_eur: clean + sum(range(7).map((w) => price(plusDays(arrive, w)))) }))
      .sort(by((s) => [s.total_eur, s.arrive]));
    if (stays.length) best.push(stays[0]);
  });
  return {
    mission: `We are 5 people without a dog and want a cottage for 7 nights in July or August 2025, from a Saturday to the Saturday after. list_cottages gives the ids, get_cottage what is known of one, in one of two forms: find out what they look like (capacity, calendar by month with one character for each day, prices per night, extras). The day d in the calendar and in the prices stands for the night from d to the next day; all 7 nights must be free and in these two months (the last possible night is that of 31 August), and the cottage must have room (beds: the number of places in each) for at least 5. The total is the sum of the prices of the 7 nights plus the cleaning, if the cottage charges any. For each cottage that fits take its cheapest stay, the earliest if several cost the same, and give the three cheapest of these stays: id, arrive (the Saturday, "2025-07-05") and total_eur, cheapest first, ties by arrive, then by id.`,
    tools: {
      list_cottages: tool("() -> [:string]", "Ids of all cottages", () => Object.keys(cottages)),
      get_cottage: tool(
        "(id :string) -> :map",
        "What is known of a cottage",
        ({ id }) => cottages[id] ?? failure(`no cottage ${id}`),
      ),
    },
    signature: "() -> [{id :string, arrive :string, total_eur :int}]",
    expected: best.sort(by((s) => [s.total_eur, s.arrive, s.id])).slice(0, 3),
  };
}

export function surveyAnswers() {
  const r = random(2524);
  const options = { a: "Lending", b: "Reading room", c: "Music", d: "Games", e: "Copies", f: "Events" };
  const regions = { 1: "north", 2: "south", 3: "islands" };
  const items = [];
  const t0 = Date.parse("2025-03-01T08:00:00Z");
  for (let i = 0; i < 150; i++)
    for (let again = r.chance(0.12) ? 2 : 1; again > 0; again--)
      items.push({
        who: `R${1000 + i}`,
        test: i % 29 === 5,
        t: t0 + r.int(0, 2000000) * 1000 + again,
        region: r.pick([1, 2, 2, 3]),
        score: r.chance(0.1) ? null : r.pick([0, 3, 5, 6, 7, 7, 8, 8, 9, 9, 10, 10]),
        uses: Object.keys(options).filter(() => r.chance(0.35)),
      });
  const token = range(9).map((i) => `k${((i * 7919 + 2524) % 99991).toString(36)}`);
  const shuffled = r.shuffle(items);
  const pages = range(8)
    .map((i) => shuffled.slice(i * 21, i * 21 + 21))
    .filter((p) => p.length);
  const encoded = (x, i) => ({
    respondent: x.who,
    meta: { submitted: new Date(x.t).toISOString(), ...(x.test ? { flags: ["test"] } : i % 3 ? {} : { flags: [] }) },
    answers: {
      q1: String(x.region),
      q2: i % 2 ? x.uses.join(";") : x.uses,
      q3: x.score === null ? (i % 2 ? -1 : null) : i % 3 ? x.score : String(x.score),
    },
  });
  const last = [...new Map([...items].sort(by((x) => x.t)).map((x) => [x.who, x])).values()].filter((x) => !x.test);
  const nps = (xs) => {
    const s = xs.filter((x) => x.score !== null);
    const balance = sum(s.map((x) => (x.score >= 9 ? 1 : x.score <= 6 ? -1 : 0)));
    return { answers: s.length, nps: round((100 * balance) / s.length, 1) };
  };
  return {
    mission: `Evaluate our survey. get_definition gives the questions, get_answers the answers, page by page (find out how they look and how one gets to the next page). If a respondent has answered several times, only the answers that were submitted last count. Respondents that are flagged as "test" do not count. The question with the key "recommend" has answers from 0 to 10, as numbers or texts; the definition says what else can be there for no answer. Its score (NPS) is 100 * (number of 9 and 10 - number of 0 to 6) / number of all answers to it, rounded to 1 decimal.
      Give: respondents, how many count; nps, the score of all; regions, for each option of the question "region", sorted by its label: the label, answers (how many of its respondents answered "recommend") and nps, the score of these; and uses, for each option of the question "uses" its label and the number of respondents who chose it (also 0), most first, ties by label.`,
    tools: {
      get_definition: tool("() -> :map", "The questions of the survey", () => ({
        title: "Library 2025",
        questions: [
          {
            code: "q1",
            key: "region",
            kind: "single",
            options: Object.entries(regions).map(([value, label]) => ({ value, label })),
          },
          {
            code: "q2",
            key: "uses",
            kind: "multiple",
            options,
            note: "a list of values, or a text with ; between them, empty for none",
          },
          { code: "q3", key: "recommend", kind: "scale", min: 0, max: 10, no_answer: [null, -1] },
        ],
      })),
      get_answers: tool("(cursor :string?) -> :any", "A page of answers; the first without a cursor", ({ cursor }) => {
        const i = cursor ? token.indexOf(cursor) : 0;
        if (i < 0 || i >= pages.length) failure(`no cursor ${cursor}`);
        return {
          items: pages[i].map(encoded),
          page: {
            size: pages[i].length,
            next_cursor: i + 1 < pages.length ? token[i + 1] : null,
          },
        };
      }),
    },
    signature:
      "() -> {respondents :int, nps :float, regions [{label :string, answers :int, nps :float}], uses [{label :string, count :int}]}",
    expected: {
      respondents: last.length,
      nps: nps(last).nps,
      regions: Object.entries(regions)
        .map(([k, label]) => ({ label, ...nps(last.filter((x) => x.region === Number(k))) }))
        .sort(by((x) => x.label)),
      uses: Object.entries(options)
        .map(([k, label]) => ({ label, count: last.filter((x) => x.uses.includes(k)).length }))
        .sort(by((x) => [-x.count, x.label])),
    },
  };
}

export function adjacentSeats() {
  const r = random(5525);
  const shows = range(12).map((i) => `S${i + 1}`);
  const want = 4;
  const maps = {};
  const found = [];
  const none = [];
  shows.forEach((show, i) => {
    const blocks = r
      .shuffle(["Parterre", "Balcony", "Gallery", "Box"])
      .slice(0, r.int(2, 4))
      .map((name) => ({
        name,
        cents: r.pick([1200, 1800, 2600, 4400]),
        rows: range(r.int(3, 7)).map(() => range(r.int(8, 14)).map(() => r.chance(i % 5 === 4 ? 0.3 : 0.58))),
      }));
    const aisle = r.chance(0.5);
    const marks = i % 2 ? { free: ".", taken: "X", blocked: "-" } : { free: "o", taken: ".", blocked: "#" };
    const text = (row) => row.map((f) => (f ? marks.free : r.pick([marks.taken, marks.taken, marks.blocked]))).join("");
    maps[show] =
      i % 3 === 2
        ? {
            show,
            currency: "EUR",
            blocks: blocks.map((b) => ({
              block: b.name,
              price: { eur: b.cents / 100 },
              seats: r.shuffle(
                b.rows.flatMap((row, y) => row.flatMap((f, x) => (f ? [{ row: y + 1, seat: x + 1 }] : []))),
              ),
            })),
            note: "seats: the free ones",
          }
        : {
            show,
            currency: "EUR",
            legend: marks,
            plan: Object.fromEntries(
              blocks.map((b) => [
                b.name,
                { price_cents: b.cents, rows: Object.fromEntries(b.rows.map((row, y) => [String(y + 1), text(row)])) },
              ]),
            ),
            ...(aisle ? { doors: "left" } : {}),
          };
    const options = blocks
      .flatMap((b) =>
        b.rows.flatMap((row, y) =>
          range(Math.max(0, row.length - want + 1))
            .filter((x) => row.slice(x, x + want).every(Boolean))
            .map((x) => ({ show, block: b.name, row: y + 1, seat: x + 1, total_cents: want * b.cents })),
        ),
      )
      .sort(by((o) => [o.total_cents, o.block, o.row, o.seat]));
    if (options.length) found.push(options[0]);
    else none.push(show);
  });
  return {
    mission: `Find 4 free seats next to each other in one row (four successive seat numbers of the same block and row) for each of our shows. list_shows gives the shows, get_plan the plan of the house for one, in one of two forms: find out what they look like. Where a row is a text, its first character is seat 1, and the legend of that plan says what the characters mean; only free seats can be had. Rows are numbered from 1. Take the four seats that cost least together; ties: the alphabetically first block, then the lowest row, then the lowest seat.
      Give: seats, for each show that has four such seats, in the order of list_shows: show, block, row, seat (the lowest of the four) and total_cents for all four; and none, the other shows in the same order.`,
    tools: {
      list_shows: tool("() -> :any", "The shows", () => ({
        season: "2025/26",
        shows: shows.map((id, i) => ({ id, date: plusDays("2025-11-01", i * 3) })),
      })),
      get_plan: tool(
        "(show :string) -> :map",
        "The plan of the house for a show",
        ({ show }) => maps[show] ?? failure(`no show ${show}`),
      ),
    },
    signature: "() -> {seats [{show :string, block :string, row :int, seat :int, total_cents :int}], none [:string]}",
    expected: { seats: found, none },
  };
}
