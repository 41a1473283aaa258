// Missions whose tools fail: for some arguments, at first, or at every third call. What a failure means, the mission says.

import { by, failure, GIVEN, iso, list, pad, people, plusDays, random, range, same, sum, tool } from "./helpers.mjs";

export function doctorAppointments() {
  const r = random(2509);
  const names = people(r, 7);
  const staff = names.map((name, i) => ({
    id: 11 + 3 * i,
    name,
    specialty: ["skin", "eyes", "heart", "skin", "eyes", "heart", "skin"][i],
  }));
  const days = range(14).map((i) => plusDays("2025-10-01", i));
  const closed = ["2025-10-03", "2025-10-04", "2025-10-05", "2025-10-11", "2025-10-12"];
  const leave = Object.fromEntries(
    staff.map((d) => {
      const from = r.int(0, 12);
      return [d.id, r.chance(0.6) ? days.slice(from, from + r.int(2, 5)) : []];
    }),
  );
  const slots = {};
  for (const d of staff)
    for (const t of days)
      slots[d.id + t] = range(16)
        .map((i) => `${pad(8 + Math.floor(i / 2))}:${i % 2 ? "30" : "00"}`)
        .filter(() => r.chance(0.09));
  const absence = (id, t) =>
    leave[id].includes(t)
      ? `doctor ${id} is on leave until ${leave[id].at(-1)}`
      : closed.includes(t)
        ? `the practice is closed on ${t}`
        : null;
  const wishes = people(r, 26).map((patient) => ({
    patient,
    specialty: r.pick(["skin", "eyes", "heart"]),
    from: r.pick(days.slice(0, 10)),
    days: r.int(2, 5),
  }));
  const taken = new Set();
  const appointments = [];
  const unplaced = [];
  for (const w of wishes) {
    const all = staff
      .filter((d) => d.specialty === w.specialty)
      .flatMap((d) =>
        days
          .filter((t) => t >= w.from && t < plusDays(w.from, w.days) && !absence(d.id, t))
          .flatMap((t) => slots[d.id + t].map((s) => ({ id: d.id, name: d.name, at: `${t} ${s}` }))),
      )
      .filter((x) => !taken.has(x.id + x.at))
      .sort(by((x) => [x.at, x.id]));
    if (!all.length) {
      unplaced.push(w.patient);
      continue;
    }
    taken.add(all[0].id + all[0].at);
    appointments.push({ patient: w.patient, doctor: all[0].name, at: all[0].at });
  }
  return {
    mission: `Give the patients in data/requests appointments, one after the other in the order of the list. A request can be met by any doctor of its specialty, on any of the \`days\` days that begin with \`from\` (from 2025-10-06 and days 2: on the 6th and the 7th), but never after 2025-10-14; a slot of a doctor can be given only once. Take the earliest slot; if several doctors have it, that of the doctor with the lowest id. free_slots gives the start times of one doctor's slots on a day and fails when the doctor is on leave or the practice is closed: then there are none.
      Give: appointments (patient, name of the doctor, at as "2025-10-06 09:30"), in the order of the requests; unplaced, the patients who got none, in the same order; and leave, for each doctor who is on leave on at least one day from 2025-10-01 to 2025-10-14 (the error says "on leave"; days on which the error says that the practice is closed do not count), the name and the number of such days, sorted by name.`,
    data: { requests: wishes },
    tools: {
      doctors: tool("() -> [{id :int, name :string, specialty :string}]", "All doctors", () => staff),
      free_slots: tool(
        "(doctor :int, day :string) -> [:string]",
        "Free slots of a doctor on a day; fails if the doctor is not there that day",
        ({ doctor, day: t }) => {
          if (!leave[doctor]) failure(`no doctor ${doctor}`);
          if (!days.includes(t)) failure(`the calendar has no day ${t}`);
          if (absence(doctor, t)) failure(absence(doctor, t));
          return slots[doctor + t];
        },
      ),
    },
    signature:
      "() -> {appointments [{patient :string, doctor :string, at :string}], unplaced [:string], leave [{doctor :string, days :int}]}",
    expected: {
      appointments,
      unplaced,
      leave: staff
        .filter((d) => leave[d.id].length)
        .map((d) => ({ doctor: d.name, days: leave[d.id].length }))
        .sort(by((x) => x.doctor)),
    },
  };
}

export function busRoutes() {
  const r = random(4510);
  const stops = list(
    "Alte Mole, Birkenhof, Conrad-Platz, Domgasse, Eiswerk, Fährhaus, Gleisdreieck, Hafentor, Inselweg, Jahnring, Kalkofen, Lohmühle, Marktkirche, Nordbad, Obsthof, Postamt",
  );
  const lines = {};
  for (let i = 0; i < 14; i++) {
    const path = r.shuffle(stops).slice(0, r.int(4, 6));
    const name = `${r.pick(["", "N", "X"])}${i + 1}`;
    const way = [];
    let minutes = 0;
    for (const stop of path) {
      if (way.length) minutes += r.int(2, 9);
      way.push({ stop, minutes });
    }
    const first = 300 + r.int(0, 120);
    const every = r.pick([12, 15, 20, 30, 40]);
    lines[name] = {
      stops: way,
      first,
      every,
      runs: Math.min(r.int(8, 60), Math.floor((1430 - minutes - first) / every)),
    };
  }
  const idle = r.shuffle(Object.keys(lines)).slice(0, 4);
  const closed = r.shuffle(stops).slice(0, 2);
  const clock = (m) => `${pad(Math.floor(m / 60))}:${pad(m % 60)}`;
  // The earliest times at all stops, improved line by line until nothing changes.
  const arrive = (from, to, at) => {
    if (closed.includes(from) || closed.includes(to)) return null;
    const best = { [from]: at };
    for (let again = true; again; ) {
      again = false;
      for (const [name, l] of Object.entries(lines))
        if (!idle.includes(name))
          l.stops.forEach((s, i) => {
            if (best[s.stop] === undefined || closed.includes(s.stop)) return;
            const ready = best[s.stop] + (s.stop === from ? 0 : 4);
            const k = Math.max(0, Math.ceil((ready - l.first - s.minutes) / l.every));
            if (k >= l.runs) return;
            for (const z of l.stops.slice(i + 1)) {
              const t = l.first + k * l.every + z.minutes;
              if (!closed.includes(z.stop) && t < (best[z.stop] ?? Infinity) && z.stop !== from) {
                best[z.stop] = t;
                again = true;
              }
            }
          });
    }
    return best[to] ?? null;
  };
  const trips = range(12).map(() => {
    const [from, to] = r.shuffle(stops);
    const at = r.int(360, 1080);
    return { from, to, at, t: arrive(from, to, at) };
  });
  return {
    mission: `When does one arrive by bus at the earliest, for each trip in data/trips (from a stop, to a stop, at the time of day from which one waits)? line_info describes a line: its stops in order with the minutes after the start of the bus, first (start of the first bus of the day), every (minutes between starts) and runs (how many buses start in the day). A bus goes only in this direction. line_info fails for a line that does not run today. stop_info fails for a stop that is closed today: buses pass it without stopping (the times at the other stops stay the same), so nobody gets on or off there. Getting on the first bus takes no time (a bus that leaves exactly at the time can be taken); for changing, the next bus must leave at least 4 minutes after the arrival of the one before. Walking between stops is not possible. All buses arrive before midnight.
      Give: arrivals, for each trip in order the time as "HH:MM", or nil if there is no way (also if one of its stops is closed); not_running, the lines that do not run, and closed, the closed stops of those in list_stops, both sorted as texts.`,
    data: { trips: trips.map((x) => ({ from: x.from, to: x.to, at: clock(x.at) })) },
    tools: {
      list_lines: tool("() -> [:string]", "Names of all lines", () => Object.keys(lines)),
      list_stops: tool("() -> [:string]", "Names of all stops", () => stops),
      line_info: tool(
        "(line :string) -> {line :string, stops [{stop :string, minutes :int}], first :string, every :int, runs :int}",
        "The timetable of a line today; fails if it does not run",
        ({ line }) => {
          const l = lines[line] ?? failure(`no line ${line}`);
          if (idle.includes(line)) failure(`line ${line} does not run on Sundays`);
          return { line, stops: l.stops, first: clock(l.first), every: l.every, runs: l.runs };
        },
      ),
      stop_info: tool(
        "(stop :string) -> {stop :string, shelter :bool}",
        "A stop; fails if it is closed today",
        ({ stop }) => {
          if (!stops.includes(stop)) failure(`no stop ${stop}`);
          if (closed.includes(stop)) failure(`${stop} is closed because of road works`);
          return { stop, shelter: stop.length % 2 === 0 };
        },
      ),
    },
    signature: "() -> {arrivals [:string?], not_running [:string], closed [:string]}",
    expected: {
      arrivals: trips.map((x) => (x.t === null ? null : clock(x.t))),
      not_running: [...idle].sort(),
      closed: [...closed].sort(),
    },
  };
}

export function energyBills() {
  const r = random(2511);
  const meters = range(22).map((i) => `Z-${r.int(100, 999)}${pad(i)}`);
  const ends = ["2024-12-31", ...range(12).map((i) => iso(Date.UTC(2025, i + 1, 0)))];
  const rows = [];
  for (const meter of meters) {
    let v = r.chance(0.3) ? r.int(97000, 99900) : r.int(100, 90000);
    for (const at of ends) {
      rows.push({ meter, at, value: v % 100000 });
      v += r.int(40, 480);
    }
  }
  const all = r.shuffle(rows);
  const size = 20;
  const pages = Math.ceil(all.length / size);
  const slice = (p) => all.slice(p * size - size, p * size);
  const bad = r.shuffle(range(pages - 1).map((i) => i + 2)).slice(0, 4);
  const part = Object.fromEntries(bad.map((p, i) => [`B${r.int(10, 99)}${i}`, p]));
  const lost = bad[3];
  const kept = all.filter((_, i) => Math.floor(i / size) + 1 !== lost);
  const bills = meters.map((meter) => {
    const read = kept.filter((x) => x.meter === meter).sort(by((x) => x.at));
    let kwh = 0;
    for (let i = 1; i < read.length; i++) kwh += (read[i].value - read[i - 1].value + 100000) % 100000;
    const low = Math.min(kwh, 2500);
    return { meter, kwh, cents: 11400 + low * 34 + (kwh - low) * 29, readings: read.length };
  });
  return {
    mission: `Write the bills for electricity of 2025. readings gives the month-end readings of all meters, page by page in no order; the first page says how many pages there are. Some pages are damaged: readings then fails, and the message names the archive part with the rows of that page (archive_part). If the archive does not have them either, the page is lost: go on without its rows. A meter counts whole kWh and goes from 99999 to 0 (a meter uses less than 50000 kWh between two readings that you have). The consumption of a meter is the sum over its successive readings in the order of the dates; missing readings do not matter, because the next one includes them. The bill is data/tariff: base_cents once, first_cents for each of the first first_kwh kWh, then_cents for each further one.
      Give: bills, meter, kwh and cents sorted by meter; incomplete, the meters for which you have fewer than 13 readings, sorted; lost_pages, the numbers of the lost pages, ascending.`,
    data: { tariff: { base_cents: 11400, first_kwh: 2500, first_cents: 34, then_cents: 29 } },
    tools: {
      readings: tool(
        "(page :int) -> {page :int, pages :int, rows [{meter :string, at :string, value :int}]}",
        "One page of readings, from page 1; fails for damaged pages",
        ({ page }) => {
          if (page < 1 || page > pages) failure(`page ${page} does not exist`);
          const p = Object.keys(part).find((k) => part[k] === page);
          if (p) failure(`page ${page} is damaged, see archive part ${p}`);
          return { page, pages, rows: slice(page) };
        },
      ),
      archive_part: tool(
        "(part :string) -> [{meter :string, at :string, value :int}]",
        "The rows in a part of the archive",
        ({ part: p }) => {
          const page = part[p] ?? failure(`no archive part ${p}`);
          if (page === lost) failure(`archive part ${p} is empty`);
          return slice(page);
        },
      ),
    },
    signature: "() -> {bills [{meter :string, kwh :int, cents :int}], incomplete [:string], lost_pages [:int]}",
    expected: {
      bills: bills.map(({ readings, ...b }) => b).sort(by((b) => b.meter)),
      incomplete: bills
        .filter((b) => b.readings < 13)
        .map((b) => b.meter)
        .sort(),
      lost_pages: [lost],
    },
  };
}

export function translations() {
  const r = random(2512);
  const vocabulary = list(
    "open, settings, delete, your, draft, send, invite, to, folder, new, members, welcome, unread, messages, in, share, archive",
  );
  const languages = ["de", "fr", "sv"];
  const word = (w, l) =>
    ({ de: (x) => `${x.split("").reverse().join("")}en`, fr: (x) => `le${x.slice(1)}é`, sv: (x) => `${x}ö` })[l](w);
  const catalog = {};
  const refuse = {};
  const drop = new Set();
  let calls = 0;
  const render = (t, l) =>
    t
      .split(" ")
      .map((w) =>
        w.startsWith("{")
          ? drop.has(t + l)
            ? r.pick(["{}", `{${word(w.slice(1, -1), l)}}`, w.slice(1, -1)])
            : w
          : word(w, l),
      )
      .join(" ");
  for (let i = 0; i < 34; i++) {
    const en =
      range(r.int(2, 5))
        .map(() => r.pick(vocabulary))
        .join(" ") + (r.chance(0.4) ? r.pick([" {name}", " {count}", " {name} {count}"]) : "");
    if (Object.values(catalog).some((c) => c.en === en)) continue;
    catalog[`${r.pick(["menu", "mail", "home"])}.${r.pick(["title", "hint", "action"])}${i}`] = {
      en,
      ...Object.fromEntries(
        languages.filter(() => r.chance(0.55)).map((l) => [l, r.chance(0.1) ? r.pick(["", " "]) : render(en, l)]),
      ),
    };
    for (const l of languages) {
      if (en.includes("{") && r.chance(0.25)) drop.add(en + l);
      if (r.chance(0.06))
        refuse[en + l] = r.pick(["the text is locked by an editor", "the glossary has two candidates"]);
    }
  }
  const memo = {};
  const marks = (t) => (t.match(/\{[^}]*\}/g) ?? []).sort().join(" ");
  const todo = Object.keys(catalog)
    .sort()
    .flatMap((key) =>
      languages.filter((l) => !(catalog[key][l] ?? "").trim()).map((lang) => ({ key, lang, en: catalog[key].en })),
    );
  for (const x of todo) x.text = memo[x.en + x.lang] = render(x.en, x.lang);
  const good = todo.filter((x) => !refuse[x.en + x.lang]);
  const keep = good.filter((x) => marks(x.en) === marks(x.text));
  return {
    mission: `Fill the gaps in our translations. data/catalog maps a key to its texts: en is always there; de, fr and sv may be missing or blank. Translate the English text for each gap with translate. This tool is limited: some calls fail with "rate limit, call again", and the same call works when it is made again (sometimes only after some more tries; there is no need to wait). Any other error is final for this text and language: do not call again. A translation is broken if its placeholders (such as {name}: braces with anything between them, also with nothing) are not the same as those of the English text, each as often; their order does not matter.
      Give three lists, each sorted by key, then lang: added (key, lang and text of the good translations), broken (key, lang) and refused (key, lang and reason: "locked" or "glossary", whichever word is in the message of the final error).`,
    data: { catalog },
    tools: {
      translate: tool(
        "(text :string, to :string) -> :string",
        "Translates an English text to de, fr or sv; limited, and fails for some texts",
        ({ text, to }) => {
          if (!languages.includes(to)) failure(`no language ${to}`);
          if (++calls % 3 === 2) failure("rate limit, call again");
          if (refuse[text + to]) failure(refuse[text + to]);
          const known = memo[text + to] ?? Object.values(catalog).find((texts) => texts.en === text)?.[to];
          return known ?? failure("unknown text");
        },
      ),
    },
    signature:
      "() -> {added [{key :string, lang :string, text :string}], broken [{key :string, lang :string}], refused [{key :string, lang :string, reason :string}]}",
    expected: {
      added: keep.map(({ key, lang, text }) => ({ key, lang, text })),
      broken: good.filter((x) => !keep.includes(x)).map(({ key, lang }) => ({ key, lang })),
      refused: todo
        .filter((x) => refuse[x.en + x.lang])
        .map((x) => ({
          key: x.key,
          lang: x.lang,
          reason: refuse[x.en + x.lang].includes("locked") ? "locked" : "glossary",
        })),
    },
  };
}

export function permissions() {
  const r = random(2513);
  const users = range(32).map((i) => `${r.pick(GIVEN).toLowerCase()}${i}`);
  const names = range(20).map((i) => `${r.pick(["ops", "web", "data", "audit", "night"])}-${i}`);
  const groups = {};
  const gone = new Set(names.filter(() => r.chance(0.15)));
  names.forEach((n, i) => {
    groups[n] = {
      members: r.shuffle(users).slice(0, r.int(0, 4)),
      groups: r
        .shuffle(names)
        .slice(0, r.int(0, 2))
        .concat(i % 6 === 5 ? [names[i - 5]] : []),
    };
  });
  const resources = range(14).map(
    (i) => `${r.pick(["wiki", "repo", "vault", "board"])}/${r.pick(["amber", "coral", "slate", "ivory"])}${i}`,
  );
  const secret = r.shuffle(resources).slice(0, 3);
  const seen = new Set();
  const grants = Object.fromEntries(
    resources.map((x) => [
      x,
      range(r.int(2, 5)).map(() => ({
        to: r.chance(0.4) ? `user:${r.pick(users)}` : `group:${r.pick(names)}`,
        level: r.pick(["read", "write", "write", "admin", "deny"]),
      })),
    ]),
  );
  const expand = (to) => {
    const [k, n] = to.split(":");
    if (k === "user") return [n];
    const out = new Set();
    const visited = new Set();
    const walk = (g) => {
      if (visited.has(g)) return;
      visited.add(g);
      if (gone.has(g)) return seen.add(g);
      for (const m of groups[g].members) out.add(m);
      for (const inner of groups[g].groups) walk(inner);
    };
    walk(n);
    return [...out];
  };
  const open = resources.filter((x) => !secret.includes(x));
  const writers = open.map((resource) => {
    const denied = new Set();
    const allowed = new Set();
    for (const g of grants[resource])
      for (const u of expand(g.to)) {
        if (g.level === "deny") denied.add(u);
        if (["write", "admin"].includes(g.level)) allowed.add(u);
      }
    return { resource, users: [...allowed].filter((u) => !denied.has(u)).sort() };
  });
  return {
    mission: `Who can write to what? For each resource in data/resources, list_grants gives the grants: to "user:NAME" or "group:NAME", with the level read, write, admin or deny. A grant to a group holds for its members and for the members of the groups in it, and of the groups in those, to any depth (groups can contain each other in a circle). A user can write if at least one grant of the level write or admin reaches the user and no deny does; a deny that reaches a user always wins, however it does. get_group fails for a group that was deleted: it has no members and no groups. list_grants fails for resources that you may not look at.
      Give: writers, for each resource that you may look at, in the order of data/resources, the names of the users who can write (without "user:"), sorted, possibly none; hidden, the resources that you may not look at, in the same order; and deleted_groups, the deleted groups that a grant of a visible resource reaches, whatever its level, directly or through groups that are not deleted, sorted.`,
    data: { resources },
    tools: {
      list_grants: tool(
        "(resource :string) -> [{to :string, level :string}]",
        "The grants of a resource; fails if you may not look at it",
        ({ resource }) => {
          if (!grants[resource]) failure(`no resource ${resource}`);
          if (secret.includes(resource)) failure(`403: you may not look at ${resource}`);
          return grants[resource];
        },
      ),
      get_group: tool(
        "(name :string) -> {members [:string], groups [:string]}",
        "Users and groups that are directly in a group; fails if it was deleted",
        ({ name }) => {
          if (!groups[name]) failure(`no group ${name}`);
          if (gone.has(name)) failure(`410: group ${name} was deleted`);
          return groups[name];
        },
      ),
    },
    signature: "() -> {writers [{resource :string, users [:string]}], hidden [:string], deleted_groups [:string]}",
    expected: { writers, hidden: resources.filter((x) => secret.includes(x)), deleted_groups: [...seen].sort() },
  };
}

export function logCorrelation() {
  const r = random(2514);
  const services = ["gateway", "orders", "payments"];
  const lines = { gateway: [], orders: [], payments: [] };
  const used = new Set();
  const traces = [];
  const at = (ms) => {
    let t = ms;
    while (used.has(t)) t++;
    used.add(t);
    return t;
  };
  for (let i = 0; i < 420; i++) {
    const burst = r.chance(0.45);
    const start = burst ? 1500000 + r.int(0, 40000) : r.int(0, 3560000);
    const trace = (0xa000 + i * 7 + r.int(0, 6)).toString(16);
    const hop = r.pick([services, services, services.slice(0, 2), services.slice(0, 1)]);
    let t = start;
    const own = [];
    for (const s of hop) {
      for (let k = r.int(1, 2); k > 0; k--) {
        t = at(t + r.int(3, 900));
        if (t < 3600000) own.push({ t, s, trace, level: r.chance(0.04) ? "error" : r.pick(["info", "info", "warn"]) });
      }
    }
    for (const x of own) lines[x.s].push({ t: x.t, trace, level: x.level });
    traces.push({ trace, own });
  }
  for (const s of services) lines[s].sort(by((x) => x.t));
  const whole = traces
    .filter((x) => services.every((s) => x.own.some((y) => y.s === s)))
    .map((x) => ({ trace: x.trace, ms: x.own.at(-1).t - x.own[0].t }))
    .sort(by((x) => [-x.ms, x.trace]))
    .slice(0, 6);
  return {
    mission: `Follow the requests through the logs of one hour of our services gateway, orders and payments. read_log gives the lines of one service whose time t (milliseconds from the start of the hour, 0 to 3599999) is at least \`from\` and below \`to\`; it fails when that would be more than 60 lines: then ask for shorter spans (there are never more than 60 lines in a second). Lines with the same trace belong to the same request.
      Give: lines, the number of lines of each service; slowest, the 6 requests that took longest among those with at least one line in each of the three services, with ms from the first to the last of their lines in any service, longest first, ties by trace; and errors, for every request with a line of the level "error", the trace and the service that had its first (earliest) error line, sorted by trace. Your program may call tools at most 1000 times.`,
    tools: {
      read_log: tool(
        "(service :string, from :int, to :int) -> [{t :int, trace :string, level :string}]",
        "Lines of a service with from <= t < to, sorted by t; fails for more than 60 lines",
        ({ service, from, to }) => {
          if (!lines[service]) failure(`no service ${service}`);
          const found = lines[service].filter((x) => x.t >= from && x.t < to);
          if (found.length > 60) failure("more than 60 lines, ask for a shorter span");
          return found;
        },
      ),
    },
    signature:
      "() -> {lines {gateway :int, orders :int, payments :int}, slowest [{trace :string, ms :int}], errors [{trace :string, service :string}]}",
    expected: {
      lines: Object.fromEntries(services.map((s) => [s, lines[s].length])),
      slowest: whole,
      errors: traces
        .filter((x) => x.own.some((y) => y.level === "error"))
        .map((x) => ({ trace: x.trace, service: x.own.find((y) => y.level === "error").s }))
        .sort(by((x) => x.trace)),
    },
  };
}

export function playlists() {
  const r = random(9515);
  const ids = range(70).map((i) => 2000 + i * 3);
  const info = {};
  for (const id of ids) {
    const k = r.int(0, 99);
    info[id] =
      k < 66
        ? {
            id,
            title: `${r.pick(["Blue", "Late", "Paper", "Salt", "Northern", "Glass"])} ${r.pick(["Harbour", "Summer", "Train", "Garden", "Mirror"])} ${id % 7}`,
            seconds: r.int(95, 480),
          }
        : k < 84
          ? { status: 301, moved_to: r.pick(ids) }
          : k < 92
            ? { status: 404 }
            : { status: 451, countries: r.shuffle(["DE", "SE", "FR", "PT", "NL"]).slice(0, r.int(1, 4)) };
  }
  const find = (id, was = []) =>
    was.includes(id) ? { status: 404 } : info[id].status === 301 ? find(info[id].moved_to, [...was, id]) : info[id];
  const messages = {
    301: "the track has moved",
    404: "there is no such track",
    451: "the track is not licensed in some countries",
  };
  const lists = ["Morning run", "Rain", "Long drive", "Kitchen", "Focus", "Sunday"].map((name) => ({
    name,
    tracks: range(r.int(12, 24)).map(() => r.pick(ids)),
  }));
  const summaries = lists.map(({ name, tracks }) => {
    const found = tracks.map((id) => find(id));
    const licensed = [...new Set(found.filter((x) => x.seconds || (x.status === 451 && !x.countries.includes("DE"))))];
    const play = licensed.filter((x) => x.seconds);
    return {
      name,
      tracks: play.length,
      seconds: sum(play.map((x) => x.seconds)),
      gone: found.filter((x) => x.status === 404).length,
      blocked: found.filter((x) => x.status === 451 && x.countries.includes("DE")).length,
      elsewhere: found.filter((x) => x.status === 451 && !x.countries.includes("DE")).length,
      first: play[0]?.title ?? null,
    };
  });
  return {
    mission: `Check the playlists in data/playlists against get_track. It fails for some tracks, and the data of such an error have a status: 301, the track has another id now (moved_to in the data; that one may have moved again); 404, there is no such track; 451, it is not licensed in the countries that the data list (countries). An entry whose moves lead back to an id that they went through already is like 404. What an entry leads to, after all moves, counts.
      Give for each playlist in order: name; tracks, the number of different tracks that can be played (entries that lead to the same track count once); seconds, of these tracks together; first, the title of the first of them, nil if there is none; and, with every entry counted also when it occurs repeatedly: gone (entries that end with 404 or in a circle), blocked (451, and "DE" is among the countries) and elsewhere (451 without "DE").`,
    data: { playlists: lists },
    tools: {
      get_track: tool(
        "(id :int) -> {id :int, title :string, seconds :int}",
        "A track; fails with data {status ...} if it can't be played",
        ({ id }) => {
          const x = info[id] ?? failure(`no track ${id}`, { status: 404 });
          return x.status ? failure(messages[x.status], x) : x;
        },
      ),
    },
    signature:
      "() -> [{name :string, tracks :int, seconds :int, first :string?, gone :int, blocked :int, elsewhere :int}]",
    expected: summaries,
  };
}

export function warehousePicking() {
  const r = random(2516);
  const skus = ["K11", "K12", "K15", "K19", "K23", "K27"];
  const bins = {};
  const book = {};
  const real = {};
  const locked = new Set();
  for (const k of skus)
    bins[k] = range(r.int(3, 5)).map(() => {
      const b = `${r.pick([..."ABCDEF"])}${pad(Object.keys(book).length + 1)}`;
      book[b] = r.int(3, 20);
      real[b] = r.chance(0.35) ? r.int(0, book[b] - 1) : book[b];
      if (r.chance(0.15)) locked.add(b);
      return b;
    });
  const orders = range(26).map((i) => ({ order: 8100 + Math.floor(i / 2), sku: r.pick(skus), qty: r.int(2, 12) }));
  const expectedBooks = { ...book };
  const expectedGoods = { ...real };
  const short = new Set();
  const skipped = new Set();
  const lines = [];
  for (const o of orders) {
    let need = o.qty;
    for (const b of bins[o.sku]) {
      if (!need || !expectedBooks[b]) continue;
      if (locked.has(b)) {
        skipped.add(b);
        continue;
      }
      const want = Math.min(need, expectedBooks[b]);
      const got = Math.min(want, expectedGoods[b]);
      if (got < want) short.add(b);
      expectedBooks[b] = got < want ? 0 : expectedBooks[b] - got;
      expectedGoods[b] -= got;
      need -= got;
    }
    lines.push({ order: o.order, sku: o.sku, picked: o.qty - need });
  }
  // The tools change these: at the end, the goods must be the expected ones.
  const books = { ...book };
  const goods = { ...real };
  return {
    mission: `Pick the goods for data/orders, one line after the other in the order of the list. For a line, go through the bins of its sku in the order in which list_bins gives them, until the line is complete: pick from the bin what is still missing, or all that the bin has according to its qty if that is less; skip bins whose qty is 0. pick really moves goods, so never pick anything twice. It fails, and picks nothing, in two cases: "bin B03 holds only 4" (fewer are there than its qty says): then pick those 4 from it (nothing, if it holds only 0) and regard the bin as empty from then on; "bin B03 is locked": take nothing from it, for no line. A line may stay incomplete. list_bins gives the quantities of the books at the time of the call: each successful pick lowers the qty of its bin by what it picked, and nothing else changes it.
      Give: lines (order, sku and picked, the number of pieces picked for the line, in the order of data/orders); wrong, the bins for which pick failed with "holds only"; locked, the bins for which it failed with "is locked"; both sorted, each bin once.`,
    data: { orders },
    tools: {
      list_bins: tool(
        "(sku :string) -> [{bin :string, qty :int}]",
        "The bins of a sku with the quantities of the books",
        ({ sku }) => (bins[sku] ?? failure(`no sku ${sku}`)).map((bin) => ({ bin, qty: books[bin] })),
      ),
      pick: tool(
        "(bin :string, qty :int) -> {bin :string, picked :int, left :int}",
        "Picks pieces from a bin; left is its new qty in the books; fails if the bin is locked or holds too few",
        ({ bin, qty }) => {
          if (!(bin in books)) failure(`no bin ${bin}`);
          if (qty < 1) failure("qty must be at least 1");
          if (locked.has(bin)) failure(`bin ${bin} is locked`);
          if (qty > books[bin]) failure(`the books have only ${books[bin]} in bin ${bin}`);
          if (qty > goods[bin]) failure(`bin ${bin} holds only ${goods[bin]}`);
          goods[bin] -= qty;
          books[bin] -= qty;
          return { bin, picked: qty, left: books[bin] };
        },
      ),
    },
    signature: "() -> {lines [{order :int, sku :string, picked :int}], wrong [:string], locked [:string]}",
    expected: { lines, wrong: [...short].sort(), locked: [...skipped].sort() },
    check: (want, found) => same([want, expectedGoods], [found, goods]),
  };
}

export function budgets() {
  const r = random(11517);
  const depts = ["archive", "canteen", "fleet", "garden", "lab", "press", "stage", "workshop"];
  const months = range(12).map((i) => `2025-${pad(i + 1)}`);
  const book = {};
  const slow = {};
  const calls = {};
  const limit = {};
  for (const d of depts) {
    limit[d] = r.int(300, 900) * 1000;
    for (const m of months) {
      const k = r.int(0, 99);
      slow[d + m] = k < 4 ? 9 : k < 12 ? 1 : k < 18 ? 2 : 0;
      book[d + m] = r.chance(0.06)
        ? null
        : range(r.int(2, 6)).map(() => ({
            account: r.pick(["material", "travel", "fees", "transfer"]),
            cents: r.int(-40000, 320000),
          }));
    }
  }
  const unset = r.pick(depts);
  const fallback = 600000;
  const used = {};
  const missing = [];
  for (const d of depts) {
    used[d] = { spent: 0, allowed: 0 };
    for (const m of months) {
      if (slow[d + m] === 9) {
        missing.push({ dept: d, month: m });
        continue;
      }
      used[d].allowed += d === unset ? fallback : limit[d];
      used[d].spent += sum((book[d + m] ?? []).filter((x) => x.account !== "transfer").map((x) => x.cents));
    }
  }
  const over = depts
    .filter((d) => used[d].spent > used[d].allowed)
    .map((dept) => ({ dept, spent_cents: used[dept].spent, over_cents: used[dept].spent - used[dept].allowed }))
    .sort(by((x) => [-x.over_cents, x.dept]));
  return {
    mission: `Which departments (data/departments) spent more than their budget in 2025? ledger gives the bookings of a department in a month ("2025-01" to "2025-12"). It fails with "timeout" at times: then call again, up to 3 calls altogether for the same department and month; if the third also ends in a timeout, the month is unavailable for this department: leave it out, on the side of the spending and on that of the budget. It fails with "no bookings" when nothing was booked: the month then counts with spending 0. Bookings on the account "transfer" do not count; negative amounts lower the spending. monthly_budget gives the cents per month; where it fails, no budget is set, and data/defaultMonthlyCents holds. The budget of a department is its cents per month times the number of its months that are not unavailable.
      Give: over, the departments whose spending is above that, with spent_cents and over_cents (spending minus budget), highest over_cents first, ties by dept; default_budget, the departments without a budget of their own, sorted; unavailable, the dept and month of each unavailable month, sorted by dept, then month.`,
    data: { departments: depts, defaultMonthlyCents: fallback },
    tools: {
      ledger: tool(
        "(dept :string, month :string) -> [{account :string, cents :int}]",
        "Bookings of a department in a month; can time out",
        ({ dept, month }) => {
          const k = dept + month;
          if (!(k in book)) failure(`no department ${dept} or no month ${month}`);
          calls[k] = (calls[k] ?? 0) + 1;
          if (calls[k] <= slow[k]) failure("timeout after 2000 ms");
          return book[k] ?? failure("no bookings");
        },
      ),
      monthly_budget: tool(
        "(dept :string) -> :int",
        "The budget in cents per month; fails if none is set",
        ({ dept }) => {
          if (dept === unset) failure(`no budget is set for ${dept}`);
          return limit[dept] ?? failure(`no department ${dept}`);
        },
      ),
    },
    signature:
      "() -> {over [{dept :string, spent_cents :int, over_cents :int}], default_budget [:string], unavailable [{dept :string, month :string}]}",
    expected: { over, default_budget: [unset], unavailable: missing },
  };
}
