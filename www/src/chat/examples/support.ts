import type { ChatMessage } from "turnfold";
import type { SavedChatExample } from "../store.ts";

const DAY = "2026-03-02";
const at = (time: string): string => `${DAY}T${time}:00Z`;

const user = (time: string, content: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  role: "user",
  content,
  timestamp: at(time),
  ...more,
});
const says = (time: string, content: string): ChatMessage => ({ role: "assistant", content, timestamp: at(time) });
const calls = (
  time: string,
  content: string,
  ...toolCalls: [id: string, name: string, args: object][]
): ChatMessage => ({
  role: "assistant",
  content,
  toolCalls: toolCalls.map(([id, name, args]) => ({ id, name, args })),
  timestamp: at(time),
});
const gives = (time: string, id: string, toolName: string, result: object): ChatMessage => ({
  role: "tool",
  toolCallId: id,
  toolName,
  content: JSON.stringify(result),
  timestamp: at(time),
});

const messages: readonly ChatMessage[] = [
  {
    role: "system",
    content:
      "You are the support agent of Fjellrad, a shop for electric bicycles. Be brief and concrete, look things up before you promise anything, and name order and ticket numbers. Refunds above 150 EUR need the approval of a supervisor. Never tell one customer anything about another.",
    timestamp: at("09:58"),
  },
  user(
    "09:58",
    "Hi, my new bike came this morning, but there is no charger in the box. I have turned everything upside down.",
  ),
  says(
    "09:59",
    "I am sorry, that should not happen. What is the order number, and the e-mail address that you ordered with?",
  ),
  user("10:01", "F-20418, ordered with mara.lindqvist@example.org"),
  calls(
    "10:01",
    "",
    ["call_01", "get_order", { order: "F-20418" }],
    ["call_02", "get_customer", { email: "mara.lindqvist@example.org" }],
  ),
  gives("10:01", "call_01", "get_order", {
    order: "F-20418",
    placed: "2026-02-19",
    customer: "C-7731",
    items: [
      { sku: "TR-50-M", name: "Trollstig 50, size M, moss green", quantity: 1, price: 2890, serial: "TR50-2602-11893" },
      { sku: "BAT-630", name: "Battery 630 Wh", quantity: 1, price: 0, note: "part of TR-50" },
      { sku: "CHG-4A", name: "Charger 4 A, EU plug", quantity: 1, price: 0, note: "part of TR-50" },
      { sku: "LCK-90", name: "Folding lock 90 cm", quantity: 1, price: 79 },
    ],
    total: 2969,
    currency: "EUR",
    status: "delivered",
    shipments: ["S-88120", "S-88121"],
  }),
  gives("10:01", "call_02", "get_customer", {
    customer: "C-7731",
    name: "Mara Lindqvist",
    email: "mara.lindqvist@example.org",
    since: 2021,
    addresses: [
      { kind: "home", text: "Storgata 12, 9008 Tromsø, Norway" },
      { kind: "work", text: "Havnegata 3, 9010 Tromsø, Norway" },
    ],
    tickets: [{ id: "T-5120", year: 2023, about: "puncture-proof tyres", state: "closed" }],
  }),
  says(
    "10:02",
    "Thank you, Mara. F-20418 lists a charger (CHG-4A, EU plug), and it went out in two parcels, S-88120 and S-88121. Did you get both of them?",
  ),
  user(
    "10:04",
    "Only one, the big one. Two things to keep in mind, please: I am deaf, so never have anyone call me, write instead. And I need the bike to work by Friday 6 March, I ride it to a wedding.",
    { pinned: true },
  ),
  calls(
    "10:04",
    "Understood: in writing only, and ready by Friday 6 March. Let me see where the second parcel is.",
    ["call_03", "track_shipment", { shipment: "S-88121" }],
    ["call_04", "get_stock", { sku: "CHG-4A" }],
    ["call_05", "list_pickup_points", { postcode: "9008", within_km: 5 }],
  ),
  gives("10:05", "call_03", "track_shipment", {
    shipment: "S-88121",
    carrier: "Nordpakke",
    weight_kg: 1.9,
    contents: ["CHG-4A", "LCK-90"],
    events: [
      { time: "2026-02-24T16:10Z", place: "Oslo", event: "handed over" },
      { time: "2026-02-25T04:32Z", place: "Oslo terminal", event: "sorted" },
      { time: "2026-02-26T11:48Z", place: "Trondheim terminal", event: "label damaged, held for inspection" },
      { time: "2026-02-28T09:15Z", place: "Trondheim terminal", event: "no recipient known, return to sender ordered" },
    ],
  }),
  gives("10:05", "call_04", "get_stock", {
    sku: "CHG-4A",
    stock: [
      { warehouse: "Oslo", free: 41 },
      { warehouse: "Tromsø shop", free: 0, expected: "2026-03-11" },
      { warehouse: "Bodø shop", free: 3 },
    ],
  }),
  gives("10:05", "call_05", "list_pickup_points", {
    points: [
      { id: "NP-9008-2", name: "Kiosk Storgata", address: "Storgata 44", opens: "08:00–22:00", km: 0.6 },
      { id: "NP-9008-5", name: "Joker Vestregata", address: "Vestregata 9", opens: "07:00–23:00", km: 1.1 },
      { id: "NP-9010-1", name: "Post in the harbour", address: "Havnegata 1", opens: "09:00–18:00", km: 2.3 },
    ],
  }),
  says(
    "10:06",
    "The second parcel, S-88121, has the charger and the lock in it. Its label was damaged in Trondheim, and it is on its way back to us. I can send both again from Oslo today; express takes two working days, so they would be with you on Wednesday 4 March.",
  ),
  user(
    "10:09",
    "Wednesday is fine. But can I not just use my neighbour's charger until then? Hers says 2 A, 36 V, from an older Trollstig.",
  ),
  calls("10:09", "", ["call_06", "check_compatibility", { serial: "TR50-2602-11893", charger: "CHG-2A-36V" }]),
  gives("10:10", "call_06", "check_compatibility", {
    compatible: false,
    reason: "battery BAT-630 is 48 V; a 36 V charger does not charge it and may damage the charger",
    compatible_chargers: ["CHG-4A", "CHG-6A"],
  }),
  says(
    "10:10",
    "Better not: your battery has 48 V, the older charger 36 V. It would not charge, and her charger could be damaged. Only CHG-4A and CHG-6A fit.",
  ),
  user("10:12", "Good that I asked. Then please send it, and the lock too, to Storgata 12."),
  calls(
    "10:12",
    "",
    [
      "call_07",
      "create_shipment",
      { order: "F-20418", skus: ["CHG-4A", "LCK-90"], service: "express", address: "Storgata 12, 9008 Tromsø, Norway" },
    ],
    [
      "call_08",
      "add_note",
      { customer: "C-7731", note: "Deaf: contact in writing only, no phone calls. Needs the bike by 2026-03-06." },
    ],
  ),
  gives("10:13", "call_07", "create_shipment", {
    shipment: "S-88467",
    service: "express",
    price: 0,
    leaves: "2026-03-02T15:00Z",
    expected: "2026-03-04",
    notify: "e-mail",
  }),
  gives("10:13", "call_08", "add_note", { note: "N-3380", visible_to: ["support", "carrier"] }),
  says(
    "10:14",
    "Done: S-88467 leaves Oslo at 15:00 today, express and free of charge, with the charger and the lock. It is expected on Wednesday 4 March. The carrier knows that it must write and not call.",
  ),
  user(
    "10:41",
    "Something else: I looked at my bank, and the 2,969 EUR went off twice?! 19 February and again on the 24th.",
  ),
  calls(
    "10:41",
    "",
    ["call_09", "get_payments", { order: "F-20418" }],
    ["call_10", "get_invoices", { customer: "C-7731", since: "2026-02-01" }],
  ),
  gives("10:42", "call_09", "get_payments", {
    order: "F-20418",
    payments: [
      { id: "P-60011", date: "2026-02-19", amount: 2969, method: "card ··4471", state: "captured" },
      {
        id: "P-60377",
        date: "2026-02-24",
        amount: 2969,
        method: "card ··4471",
        state: "captured",
        trigger: "second parcel",
      },
    ],
  }),
  gives("10:42", "call_10", "get_invoices", {
    invoices: [{ id: "I-2026-0931", order: "F-20418", date: "2026-02-19", amount: 2969, state: "paid" }],
  }),
  says(
    "10:43",
    "You are right. There is one invoice, I-2026-0931, but two payments: P-60011 and P-60377, the second one set off by mistake when the second parcel went out. You should get 2,969 EUR back. I will start that now.",
  ),
  user("10:44", "Please do. That is a lot of money to be missing."),
  calls("10:44", "", ["call_11", "refund_payment", { payment: "P-60377", amount: 2969, reason: "captured twice" }]),
  gives("10:44", "call_11", "refund_payment", {
    error: "approval_required",
    message: "refunds above 150 EUR need a supervisor",
    how: "request_approval(kind: refund, payment, amount)",
  }),
  calls("10:45", "This amount needs a supervisor, so I am asking for one.", [
    "call_12",
    "request_approval",
    { kind: "refund", payment: "P-60377", amount: 2969, reason: "captured twice, one invoice only" },
  ]),
  gives("10:46", "call_12", "request_approval", {
    approval: "A-1189",
    state: "waiting",
    asked: ["supervisor on duty"],
  }),
  says(
    "10:46",
    "The request is A-1189. Supervisors usually decide within the hour; I will tell you here as soon as there is an answer.",
  ),
  user(
    "10:49",
    "OK, I will stay around. Do I get interest, or at least the fee that my bank takes for going below zero? It was 12 EUR.",
  ),
  says(
    "10:50",
    "Send me the line of the statement as a picture or a text once you have it, and I will add the 12 EUR to the refund: the mistake was ours. Interest we do not pay for a few days.",
  ),
  user("10:57", "Here it is: “2026-02-25 Overtrekksgebyr 12,00 EUR”."),
  {
    role: "system",
    content:
      "Approval A-1189 was granted by supervisor H. Berg at 11:05: refund payment P-60377 in full, and the customer's bank fee of 12 EUR beside it.",
    timestamp: at("11:05"),
  },
  calls(
    "11:05",
    "",
    ["call_13", "refund_payment", { payment: "P-60377", amount: 2969, approval: "A-1189" }],
    ["call_14", "refund_fee", { customer: "C-7731", amount: 12, approval: "A-1189" }],
  ),
  gives("11:06", "call_13", "refund_payment", {
    refund: "R-4402",
    amount: 2969,
    to: "card ··4471",
    expected: "2026-03-05",
  }),
  gives("11:06", "call_14", "refund_fee", { refund: "R-4403", amount: 12, to: "card ··4471", expected: "2026-03-05" }),
  says(
    "11:07",
    "Approved. R-4402 gives back 2,969 EUR and R-4403 the 12 EUR of your bank, both to your card ending in 4471. They should be there by Thursday 5 March.",
  ),
  user(
    "11:24",
    "Wonderful. Last one, I promise: I switched the bike on with what is left in the battery, and the display says E-21 and the motor does nothing.",
  ),
  calls(
    "11:24",
    "",
    ["call_15", "search_manual", { product: "TR-50", query: "E-21" }],
    ["call_16", "get_firmware", { serial: "TR50-2602-11893" }],
  ),
  gives("11:25", "call_15", "search_manual", {
    results: [
      {
        section: "9.3 Error codes",
        text: "E-20 speed sensor not found. E-21 speed sensor signal implausible: the magnet on the rear wheel is missing, turned away, or more than 15 mm from the sensor. Turn the magnet so that its mark points at the sensor, at a distance of 5 to 12 mm, then switch the display off for ten seconds. E-22 torque sensor not calibrated.",
      },
      {
        section: "3.7 After transport",
        text: "The rear wheel may have turned in the box. Check the magnet on the spoke before the first ride. With firmware below 4.2, E-21 stays until the error memory is cleared: hold − and light for five seconds.",
      },
      {
        section: "9.1 Before you write to support",
        text: "Note the serial number under the bottom bracket, the firmware (menu, About), and the error code. Do not open the motor: it voids the warranty.",
      },
    ],
  }),
  gives("11:25", "call_16", "get_firmware", {
    serial: "TR50-2602-11893",
    display: "4.1.7",
    motor: "2.0.3",
    newest: { display: "4.3.0", motor: "2.0.3" },
  }),
  says(
    "11:26",
    "E-21 means that the speed sensor gets no clear signal, which is common after transport. Please turn the magnet on the rear wheel so that its mark points at the sensor, 5 to 12 mm away. Your display has firmware 4.1.7, so afterwards hold − and light together for five seconds to clear the error.",
  ),
  user(
    "11:38",
    "The magnet had slipped to the rim! I have moved it back. E-21 is gone, but now there is E-30 for a second when I switch on. It rides, though.",
  ),
  calls("11:38", "", ["call_17", "run_diagnostics", { serial: "TR50-2602-11893", codes: ["E-30"] }]),
  gives("11:40", "call_17", "run_diagnostics", {
    code: "E-30",
    meaning: "battery below 10 % at start",
    severity: "information",
    battery: { charge_percent: 7, cycles: 2, health_percent: 100 },
    advice: "charge before the next ride",
  }),
  says(
    "11:40",
    "E-30 only says that the battery is below 10 % when you start: it has 7 % now, and is healthy. It goes away with the first charge. Please do not ride far before Wednesday.",
  ),
  user("11:52", "Good. One more look at the money and the parcel before I go?"),
  calls(
    "11:52",
    "",
    ["call_18", "get_refund", { refund: "R-4402" }],
    ["call_19", "track_shipment", { shipment: "S-88467" }],
  ),
  gives("11:52", "call_18", "get_refund", {
    refund: "R-4402",
    amount: 2969,
    state: "sent to bank",
    expected: "2026-03-05",
  }),
  gives("11:53", "call_19", "track_shipment", {
    shipment: "S-88467",
    carrier: "Nordpakke",
    contents: ["CHG-4A", "LCK-90"],
    events: [{ time: "2026-03-02T11:31Z", place: "Oslo", event: "packed, label checked" }],
    expected: "2026-03-04",
    can_change_until: "2026-03-02T14:00Z",
  }),
  says(
    "11:53",
    "R-4402 is with your bank, expected on 5 March. S-88467 is packed, its label was checked, and it leaves at 15:00; it should be with you on Wednesday 4 March.",
  ),
  user("11:58", "On Wednesday I am at work all day. Can it go to the kiosk in Storgata instead?"),
  calls("11:58", "", ["call_20", "change_delivery", { shipment: "S-88467", pickup_point: "NP-9008-2" }]),
  gives("11:59", "call_20", "change_delivery", {
    shipment: "S-88467",
    pickup_point: "NP-9008-2",
    expected: "2026-03-04",
    code: "by e-mail",
  }),
  says(
    "12:00",
    "Changed: S-88467 goes to Kiosk Storgata (Storgata 44, open until 22:00), on Wednesday 4 March. You get the code to fetch it by e-mail. With the charger there, the bike is ready two days before the wedding.",
  ),
];

export const support: SavedChatExample = {
  title: "Support chat",
  summary: "60 messages over two hours: an agent with tools, several at a time, one pin",
  saved: {
    messages: JSON.stringify(messages, null, 2),
    options: { n: "16", time: "2026-03-02T11:00:00Z" },
    concepts: [
      { name: "customer", description: "who they are, and how they want to be treated" },
      { name: "order", description: "what was ordered, where it is, and what is still on its way" },
      { name: "money", description: "payments, refunds and approvals, with their numbers" },
    ],
  },
};
