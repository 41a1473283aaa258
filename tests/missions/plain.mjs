// Missions whose programs need only the data.

import { by, compare, list, pad, people, plusDays, random, range, same, sum } from "./helpers.mjs";

export function libraryLoans() {
  const r = random(2501);
  const today = "2025-09-30";
  const fee = { book: 20, dvd: 50, magazine: 10 };
  const cap = { book: 900, dvd: 1500, magazine: 300 };
  const closed = range(60)
    .filter((i) => i % 7 === 3 || r.chance(0.06))
    .map((i) => plusDays("2025-08-03", i));
  const members = people(r, 30);
  const loans = range(220).map((i) => {
    const due = plusDays("2025-08-10", r.int(0, 55));
    const k = r.int(0, 9);
    const member = r.pick(members);
    const kind = r.pick(Object.keys(fee));
    const back = k < 2 ? null : plusDays(due, k < 5 ? -r.int(0, 12) : r.int(1, 34));
    return { loan: 7000 + i, member, kind, due, returned: back === null || back > today ? null : back };
  });
  const late = (l) => {
    let n = 0;
    for (let d = plusDays(l.due, 1); d <= (l.returned ?? today); d = plusDays(d, 1)) if (!closed.includes(d)) n++;
    return n;
  };
  const cents = (l) => (late(l) <= 2 ? 0 : Math.min(cap[l.kind], late(l) * fee[l.kind]));
  const owes = {};
  for (const l of loans) owes[l.member] = (owes[l.member] ?? 0) + cents(l);
  const borrowed = loans.filter((l) => !l.returned).sort(by((l) => [-late(l), l.loan]));
  return {
    mission: `Work out the late fees of our library as of data/today. data/loans has the loans; returned is null while the item is still out. The late days of a loan are the days after due up to and including the day of return (or data/today, if it is still out) that are not in data/closedDays. With at most 2 late days there is no fee; with more, every late day costs data/feePerDay cents of its kind, but a loan costs at most data/capPerLoan cents of its kind.
      Give: free, the number of loans without a fee; total_cents, all fees together; debtors, the members whose fees together are more than 1500 cents, with their cents, highest first, ties by name; and longest, the loan number of the item still out with the most late days (ties: the lowest number).`,
    data: { today, loans, closedDays: closed, feePerDay: fee, capPerLoan: cap },
    signature: "() -> {free :int, total_cents :int, debtors [{member :string, cents :int}], longest :int}",
    expected: {
      free: loans.filter((l) => cents(l) === 0).length,
      total_cents: sum(Object.values(owes)),
      debtors: Object.entries(owes)
        .filter(([, c]) => c > 1500)
        .map(([member, c]) => ({ member, cents: c }))
        .sort(by((x) => [-x.cents, x.member])),
      longest: borrowed[0].loan,
    },
  };
}

export function flightConnections() {
  const r = random(3502);
  const offsets = Object.fromEntries(
    list(
      "LIS +01:00, FRA +02:00, DEL +05:30, KTM +05:45, NRT +09:00, GRU -03:00, YYT -02:30, LAX -07:00, AKL +12:00",
    ).map((x) => x.split(" ")),
  );
  const ports = Object.keys(offsets);
  const mins = (o) => (o[0] === "-" ? -1 : 1) * (Number(o.slice(1, 3)) * 60 + Number(o.slice(4)));
  const local = (t, p) => new Date((t + mins(offsets[p])) * 60000).toISOString().slice(0, 16).replace("T", " ");
  const flights = [];
  const trips = [];
  const start = Date.parse("2025-06-01T00:00:00Z") / 60000;
  for (let i = 0; i < 30; i++) {
    let at = r.pick(ports);
    let t = start + r.int(0, 20000);
    const legs = [];
    const n = r.int(1, 4);
    for (let k = 0; k < n; k++) {
      if (k && r.chance(0.12)) at = r.pick(ports.filter((p) => p !== at));
      const to = r.pick(ports.filter((p) => p !== at));
      const arr = t + r.int(70, 900);
      const f = { flight: `${r.pick(["QK", "ZO", "VV"])}${101 + flights.length}`, from: at, to, dep: t, arr };
      flights.push(f);
      legs.push(f);
      at = to;
      t = arr + (r.chance(0.15) ? r.int(-30, 44) : r.chance(0.1) ? 45 : r.int(46, 700));
    }
    trips.push({ trip: `T${10 + i}`, legs });
  }
  const pairs = (x) => x.legs.slice(1).map((b, i) => [x.legs[i], b]);
  const problem = (x) =>
    pairs(x).some(([a, b]) => a.to !== b.from)
      ? "airport"
      : pairs(x).some(([a, b]) => b.dep - a.arr < 45)
        ? "layover"
        : null;
  const ok = trips
    .filter((x) => !problem(x))
    .map((x) => ({
      trip: x.trip,
      minutes: x.legs.at(-1).arr - x.legs[0].dep,
      in_the_air: sum(x.legs.map((f) => f.arr - f.dep)),
    }))
    .sort(by((x) => [x.minutes, x.trip]));
  return {
    mission: `Check the trips that our travel agency has put together. data/flights has the flights; dep and arr are local times of the airports from and to. data/offsets has each airport's offset from UTC. data/trips names the flights of each trip in their order. A connection between two successive flights of a trip is possible if the second leaves from the airport at which the first arrives, at least 45 minutes after it has arrived (exactly 45 is enough).
      Give ok: the trips whose connections are all possible (a trip with one flight is always possible), with the minutes from the first departure to the last arrival and the minutes in the air (the flights' own durations together), shortest minutes first, ties by trip; and broken: the others in the order of data/trips, with the reason "airport" if any of its connections changes the airport, otherwise "layover".`,
    data: {
      flights: r
        .shuffle(flights)
        .map((f) => ({ flight: f.flight, from: f.from, to: f.to, dep: local(f.dep, f.from), arr: local(f.arr, f.to) })),
      offsets,
      trips: trips.map((x) => ({ trip: x.trip, flights: x.legs.map((f) => f.flight) })),
    },
    signature: "() -> {ok [{trip :string, minutes :int, in_the_air :int}], broken [{trip :string, reason :string}]}",
    expected: { ok, broken: trips.filter(problem).map((x) => ({ trip: x.trip, reason: problem(x) })) },
  };
}

export function shoppingList() {
  const r = random(2503);
  const g = ["g", "kg"];
  const ml = ["ml", "cl", "dl", "l", "tbsp", "tsp"];
  const unit = { g: 1, kg: 1000, ml: 1, cl: 10, dl: 100, l: 1000, tbsp: 15, tsp: 5, "": 1 };
  const items = {
    flour: g,
    sugar: g,
    "brown rice": g,
    butter: g,
    "red lentils": g,
    milk: ml,
    "olive oil": ml,
    "soy sauce": ml,
    cream: ml,
    eggs: [""],
    lemons: [""],
    "bay leaves": [""],
    onions: [""],
  };
  const amounts = {
    g: list("250, 75, 500, 120"),
    kg: list("1, 1/2, 1 1/4, 0.75"),
    ml: ["50", "200"],
    cl: ["5", "12.5"],
    dl: ["2", "1 1/2"],
    l: list("1, 0.25, 3/4"),
    tbsp: list("2, 1 1/2, 1"),
    tsp: list("1/2, 3, 1/4"),
    "": list("2, 1, 1/2, 3"),
  };
  const quantity = (text) =>
    sum(
      text
        .split(" ")
        .map((part) => part.split("/").map(Number))
        .map(([n, d = 1]) => n / d),
    );
  const recipes = list(
    "Harbour stew, Lentil pie, Rice bowl, Sunday pancakes, Lemon tart, Onion bread, Green curry, Cream soup",
  ).map((name) => ({
    name,
    serves: r.pick([2, 4, 8]),
    lines: r
      .shuffle(Object.keys(items))
      .slice(0, r.int(4, 7))
      .map((item) => {
        const u = r.pick(items[item]);
        const amount = r.pick(amounts[u]);
        return { text: [amount, u, item].filter(Boolean).join(" "), item, n: quantity(amount) * unit[u] };
      }),
  }));
  const menu = range(12).map((i) => ({
    day: plusDays("2025-10-06", Math.floor(i / 2)),
    recipe: r.pick(recipes).name,
    people: r.int(1, 11),
  }));
  const need = {};
  for (const m of menu) {
    const rec = recipes.find((x) => x.name === m.recipe);
    for (const l of rec.lines) need[l.item] = (need[l.item] ?? 0) + (l.n * m.people) / rec.serves;
  }
  const pantry = Object.fromEntries(
    r
      .shuffle(Object.keys(items))
      .slice(0, 8)
      .map((item) => [item, r.chance(0.3) && need[item] ? Math.ceil(need[item]) : r.int(1, 400)]),
  );
  const buy = Object.keys(need)
    .sort()
    .map((item) => ({
      item,
      amount: Math.ceil(need[item]) - (pantry[item] ?? 0),
      unit: items[item] === g ? "g" : items[item] === ml ? "ml" : "",
    }))
    .filter((x) => x.amount > 0);
  return {
    mission: `Write the shopping list for data/menu (a recipe and for how many people it is cooked; a recipe can occur several times). data/recipes says for how many people a recipe is written (serves) and has its ingredients as lines: amount, unit if there is one, item. Amounts look like 250, 0.75, 1/2 or 1 1/2; an item can have two words. Units are g, kg, ml, cl, dl, l, tbsp (15 ml) and tsp (5 ml); without a unit the amount counts pieces.
      Add up what the whole menu needs of each item in g, ml or pieces, without rounding in between; round each sum up to a whole number; then subtract what data/pantry has of it (in the same g, ml or pieces). List the items of which something must be bought, sorted by item, with the unit "g", "ml" or, for pieces, "".`,
    data: {
      recipes: recipes.map((x) => ({ name: x.name, serves: x.serves, ingredients: x.lines.map((l) => l.text) })),
      menu,
      pantry: Object.entries(pantry).map(([item, amount]) => ({ item, amount })),
    },
    signature: "() -> [{item :string, amount :int, unit :string}]",
    expected: buy,
  };
}

export function leagueTable() {
  const r = random(3504);
  const teams = list(
    "Ashford Otters, Brook-Dale Rovers, Crane Harbour, Dunlin Athletic, Eastmoor 07, Fallow Ravens, Gull Point, Heron Vale",
  );
  const games = [];
  for (const a of teams)
    for (const b of teams)
      if (a !== b) games.push({ a, b, x: r.pick([0, 1, 1, 2, 3]), y: r.pick([0, 0, 1, 1, 2]), off: r.chance(0.08) });
  const order = r.shuffle(games);
  const played = order.filter((m) => !m.off);
  const deductions = { [r.pick(teams)]: 3 };
  const points = (t, matches) =>
    sum(
      matches.map((m) =>
        m.a === t ? (m.x > m.y ? 3 : m.x === m.y ? 1 : 0) : m.b === t ? (m.y > m.x ? 3 : m.x === m.y ? 1 : 0) : 0,
      ),
    );
  const rows = teams.map((team) => {
    const matches = played.filter((m) => m.a === team || m.b === team);
    const gf = sum(matches.map((m) => (m.a === team ? m.x : m.y)));
    const ga = sum(matches.map((m) => (m.a === team ? m.y : m.x)));
    return { team, played: matches.length, gf, ga, points: points(team, matches) - (deductions[team] ?? 0) };
  });
  const group = (p) => rows.filter((x) => x.points === p).map((x) => x.team);
  const directPoints = (x) =>
    points(
      x.team,
      played.filter((m) => group(x.points).includes(m.a) && group(x.points).includes(m.b)),
    );
  rows.sort(by((x) => [-x.points, -directPoints(x), x.ga - x.gf, -x.gf, x.team]));
  return {
    mission: `Make the final table of our league from data/results, lines such as "Gull Point - Heron Vale 2:1" (home team, guest, goals of each); matches that are "postponed" were never played and do not count. A win is 3 points, a draw 1. data/deductions has points that are taken away from a team at the end. The order: more points (after deductions); among the teams with equal points, more points from the played matches which these teams (all of them together) had against each other (deductions do not matter here, and this is done only once: teams that are still equal are not compared again among themselves); then the better goal difference of the whole season; then more goals; then by name. Give for each team rank (1, 2, 3, ...), team, played, goals (a text such as "31:28") and points.`,
    data: {
      results: order.map((m) => `${m.a} - ${m.b} ${m.off ? "postponed" : `${m.x}:${m.y}`}`),
      deductions: Object.entries(deductions).map(([team, p]) => ({ team, points: p })),
    },
    signature: "() -> [{rank :int, team :string, played :int, goals :string, points :int}]",
    expected: rows.map((x, i) => ({
      rank: i + 1,
      team: x.team,
      played: x.played,
      goals: `${x.gf}:${x.ga}`,
      points: x.points,
    })),
  };
}

export function chessNotation() {
  const r = random(2505);
  const names = people(r, 8);
  const square = () => r.pick([..."abcdefgh"]) + r.int(1, 8);
  const games = [];
  for (let g = 0; g < 24; g++) {
    const [white, black] = r.shuffle(names);
    const n = r.int(18, 90);
    const result = r.pick(["1-0", "0-1", "1/2-1/2", "1-0", "0-1", "*"]);
    const moves = [];
    for (let i = 0; i < n; i++) {
      let m;
      let capture = false;
      if (i > 8 && i < 12 && r.chance(0.5)) m = r.pick(["O-O", "O-O", "O-O-O"]);
      else {
        const piece = r.pick(["", "", "N", "B", "R", "Q", "K"]);
        capture = r.chance(0.22);
        m = piece
          ? piece + r.pick(["", "", r.pick([..."abcdefgh"])]) + (capture ? "x" : "") + square()
          : (capture ? `${r.pick([..."abcdefgh"])}x` : "") + square();
        if (!piece && /[18]$/.test(m)) m += `=${r.pick(["Q", "Q", "N"])}`;
      }
      if (i === n - 1 && result.length === 3 && r.chance(0.4)) m += "#";
      else if (r.chance(0.07)) m += "+";
      moves.push({ m, capture, white: i % 2 === 0 });
    }
    let text = "";
    moves.forEach((x, i) => {
      const note = text.endsWith("} ");
      text += `${(x.white ? `${i / 2 + 1}. ` : note ? `${(i + 1) / 2}... ` : "") + x.m} ${r.chance(0.06) ? r.pick(["{better was Nxe5+} ", "{after 14. O-O it is equal} ", "{a novelty!} ", "{threatens Qxh7#} "]) : ""}`;
    });
    games.push({ game: g + 1, white, black, moves, result, text: text + result });
  }
  const lengths = games.map((x) => x.moves.length);
  const all = games.flatMap((x) => x.moves);
  const score = (x, n) =>
    x.result === "*" ? 0 : x.result === "1/2-1/2" ? 0.5 : (x.result === "1-0") === (x.white === n) ? 1 : 0;
  const players = names
    .map((player) => {
      const mine = games.filter((x) => x.white === player || x.black === player);
      return {
        player,
        score: sum(mine.map((x) => score(x, player))),
        captures: sum(mine.map((x) => x.moves.filter((m) => m.capture && m.white === (x.white === player)).length)),
      };
    })
    .sort(by((x) => [-x.score, -x.captures, x.player]));
  return {
    mission: `Statistics of a chess tournament. data/games has the players and the text of each game: moves in algebraic notation, before each move of White its number (12.), sometimes also before one of Black (12...), comments in braces that are to be ignored whatever they contain, and at the end the result 1-0, 0-1, 1/2-1/2 or * (not finished: no points for anyone, but its moves and captures count). White moves first, then they alternate. x in a move means a capture, + check, # mate, = promotion, O-O castling short, O-O-O castling long (both may be followed by +).
      Give: half_moves, the number of moves of both sides in all games; longest, the number of the game with the most half moves; short_castlings, long_castlings, promotions, checks (moves with +), mates (moves with #); and players: for every player the score (win 1, draw 0.5) and the number of captures that this player made, highest score first, then more captures first, then by name.`,
    data: { games: games.map(({ game, white, black, text }) => ({ game, white, black, text })) },
    signature:
      "() -> {half_moves :int, longest :int, short_castlings :int, long_castlings :int, promotions :int, checks :int, mates :int, players [{player :string, score :float, captures :int}]}",
    expected: {
      half_moves: sum(lengths),
      longest: games[lengths.indexOf(Math.max(...lengths))].game,
      short_castlings: all.filter((x) => /^O-O[+#]?$/.test(x.m)).length,
      long_castlings: all.filter((x) => x.m.startsWith("O-O-O")).length,
      promotions: all.filter((x) => x.m.includes("=")).length,
      checks: all.filter((x) => x.m.includes("+")).length,
      mates: all.filter((x) => x.m.includes("#")).length,
      players,
    },
  };
}

export function subtitles() {
  const r = random(2506);
  const lines = [
    "Where have you been?",
    "The ferry is late again.",
    "- No.",
    "I told you, Marta: never at night.",
    "<i>Nobody answers.</i>",
    "Close the window, please.",
    "It was not me!",
    "Tomorrow, then.",
    "You said: «at nine».",
    "Two tickets to Sylt.",
  ];
  const noise = ["[door slams]", "[wind]", "[phone rings]"];
  const cues = [];
  let t = 400;
  for (let i = 0; i < 60; i++) {
    const text = range(r.int(1, 2)).map(() => {
      const k = r.int(0, 9);
      return k < 2
        ? r.pick(noise)
        : k < 4
          ? `${r.pick(lines)} ${r.pick(noise)}`
          : k < 5
            ? `${r.pick(noise)} ${r.pick(lines)}`
            : k < 6
              ? r.pick(lines).replace(" ", ` ${r.pick(noise)} `)
              : r.pick(lines);
    });
    const d = r.int(900, 4200);
    cues.push({ n: i + 1 + (i > 30 ? 2 : 0), from: t, to: t + d, text });
    t += d + (r.chance(0.25) ? -r.int(50, 600) : r.chance(0.2) ? 0 : r.int(40, 130000));
  }
  const stamp = (ms) =>
    `${pad(Math.floor(ms / 3600000))}:${pad(Math.floor(ms / 60000) % 60)}:${pad(Math.floor(ms / 1000) % 60)},${String(ms % 1000).padStart(3, "0")}`;
  const write = (xs) => xs.map((c) => `${c.n}\n${stamp(c.from)} --> ${stamp(c.to)}\n${c.text.join("\n")}\n`).join("\n");
  const shift = -2350;
  const kept = cues
    .map((c) => ({
      from: c.from + shift,
      to: c.to + shift,
      text: c.text
        .map((l) =>
          l
            .replace(/\[[^\]]*\]/g, "")
            .replace(/ +/g, " ")
            .trim(),
        )
        .filter(Boolean),
    }))
    .filter((c) => c.text.length && c.from >= 0);
  let trimmed = 0;
  kept.forEach((c, i) => {
    c.n = i + 1;
    if (kept[i + 1] && c.to > kept[i + 1].from) {
      c.to = kept[i + 1].from;
      trimmed++;
    }
  });
  return {
    mission: `Clean the subtitles in data/srt (SubRip: a number, a line of times, one or more lines of text, an empty line; sorted by their start). In this order: 1. Remove everything in square brackets with the brackets, in each line; then make runs of blanks into one blank and remove blanks at both ends of the line. Lines that are empty then go; subtitles without a line left are dropped. 2. Add data/shiftMs milliseconds (it is negative) to both times of each subtitle; subtitles that would start before 0 are dropped. 3. Where a subtitle ends after the start of the next one that is left, it now ends exactly at that start. 4. Number them 1, 2, 3, ...
      Give srt: the new text in the same format (one empty line between subtitles, lines end in \\n, newlines at the very end do not matter); dropped: the number of dropped subtitles; trimmed: how many were changed by step 3.`,
    data: { srt: write(cues), shiftMs: shift },
    signature: "() -> {srt :string, dropped :int, trimmed :int}",
    expected: { srt: write(kept), dropped: cues.length - kept.length, trimmed },
    check: (want, found) => same({ ...want, srt: want.srt.trimEnd() }, { ...found, srt: found.srt.trimEnd() }),
  };
}

export function incomeTax() {
  const r = random(2507);
  const brackets = [
    { up_to_euros: 11000, percent: 0 },
    { up_to_euros: 18500, percent: 14 },
    { up_to_euros: 42000, percent: 27 },
    { up_to_euros: 90000, percent: 38 },
    { up_to_euros: null, percent: 45 },
  ];
  const allowance = 325050;
  const staff = [];
  while (staff.length < 40) {
    const one = (id, spouse) => ({
      id,
      income_cents: r.chance(0.15) ? r.pick([1100000, 1850000, 200000]) + r.int(0, 99) : r.int(400000, 14000000),
      children: r.pick([0, 0, 1, 2, 3]),
      spouse,
    });
    const id = 300 + staff.length;
    if (r.chance(0.35)) {
      staff.push(one(id, id + 1), one(id + 1, id));
    } else staff.push(one(id, null));
  }
  const tax = (euros) => {
    let low = 0;
    let cents = 0;
    let top = 0;
    for (const b of brackets) {
      const high = b.up_to_euros ?? Infinity;
      if (euros > low) {
        cents += (Math.min(euros, high) - low) * b.percent;
        top = b.percent;
      }
      low = high;
    }
    return { cents, top };
  };
  const households = staff
    .filter((p) => p.spouse === null || p.spouse > p.id)
    .map((p) => {
      const all = p.spouse ? [p, staff.find((x) => x.id === p.spouse)] : [p];
      const n = all.length;
      const cents = Math.max(0, sum(all.map((x) => x.income_cents - x.children * allowance)));
      const euros = Math.floor(cents / n / 100);
      const t = tax(euros);
      return { household: p.id, taxable_euros: euros, tax_cents: n * t.cents, top_percent: t.top };
    })
    .sort(by((x) => [-x.tax_cents, x.household]));
  return {
    mission: `Compute the income tax of the households in data/people. Two people who are each other's spouse are one household, everyone without a spouse is one alone; a household is named by its lowest id. The household's income is the incomes of its people minus data/childAllowanceCents for each of their children (children of both are added), but not below 0. taxable_euros is this income divided by the number of people of the household (1 or 2), rounded down to whole euros. data/brackets, from low to high: percent is taken of the euros above the limit of the bracket before (0 for the first) up to up_to_euros (null: no limit). tax_cents is the tax on taxable_euros, times the number of people of the household. top_percent is the percent of the highest bracket in which at least one euro of taxable_euros lies, 0 if there is no euro. List the households, highest tax first, ties by household.`,
    data: { people: r.shuffle(staff), brackets, childAllowanceCents: allowance },
    signature: "() -> [{household :int, taxable_euros :int, tax_cents :int, top_percent :int}]",
    expected: households,
  };
}

export function runoffElection() {
  const r = random(20508);
  const names = ["Alder", "Bramble", "Clover", "Dogwood", "Elder", "Foxglove", "Gorse"];
  const likes = Object.fromEntries(names.map((n, i) => [n, 7 - i + r.int(0, 3)]));
  const ballots = range(420).map(() => {
    const bag = r.shuffle(names.flatMap((n) => Array(likes[n]).fill(n)));
    const order = [...new Set(bag)].slice(0, r.int(1, 5));
    const k = r.int(0, 39);
    if (k === 0) return "";
    if (k === 1) return [...order, order[0]].join(" > ");
    if (k === 2) return [...order, "Nettle"].join(" > ");
    return order.map((n) => r.pick([n, n, n.toUpperCase(), n.toLowerCase()])).join(r.pick([" > ", ">", " >"]));
  });
  const read = (b) =>
    b
      .split(">")
      .map((x) => x.trim())
      .map((x) => names.find((n) => n.toLowerCase() === x.toLowerCase()));
  const valid = ballots.map(read).filter((b) => b.every(Boolean) && new Set(b).size === b.length);
  const rounds = [];
  let left = [...names];
  let first = null;
  let winner = null;
  while (!winner) {
    const votes = Object.fromEntries(left.map((n) => [n, 0]));
    let exhausted = 0;
    for (const b of valid) {
      const n = b.find((x) => left.includes(x));
      if (n) votes[n]++;
      else exhausted++;
    }
    first ??= votes;
    const most = Math.max(...Object.values(votes));
    if (most * 2 > valid.length - exhausted) {
      winner = left.find((n) => votes[n] === most);
      rounds.push({ votes, exhausted, eliminated: null });
      break;
    }
    const last = [...left].sort((a, b) => votes[a] - votes[b] || first[a] - first[b] || compare(b, a))[0];
    rounds.push({ votes, exhausted, eliminated: last });
    left = left.filter((n) => n !== last);
  }
  return {
    mission: `Count our election by instant runoff. data/ballots has the ballots, such as "Elder > Alder > Gorse" (best first; blanks around names and upper or lower case do not matter; a ballot need not name everybody). The candidates are data/candidates. A ballot that is empty, names somebody twice or names somebody who is no candidate is invalid as a whole. In each round every valid ballot counts for its best candidate who is still in, or is exhausted if there is none. If a candidate has more than half of the ballots that are not exhausted in this round, the count ends and this candidate wins. Otherwise the candidate with the fewest votes is eliminated (ties: the one with fewer votes in the first round; if still tied, the alphabetically last), and the next round begins.
      Give invalid (the number of invalid ballots), the winner, and the rounds in order: votes (a map from the name, as in data/candidates, to the votes in this round, of those who are still in, also with 0 votes), exhausted, and eliminated (nil in the last round).`,
    data: { candidates: names, ballots },
    signature: "() -> {invalid :int, winner :string, rounds [{votes :map, exhausted :int, eliminated :string?}]}",
    expected: { invalid: ballots.length - valid.length, winner, rounds },
  };
}
