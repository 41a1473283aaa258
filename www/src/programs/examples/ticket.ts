import type { ProgramExample } from "../store.ts";

/** The first reply has a value that is not one of the choices, so a repair request follows. */
export const ticket: ProgramExample = {
  title: "A plain signature",
  summary: "typed outputs, and a first reply that needs a repair",
  saved: {
    signature: "(ticket :string, customer_since :int?) -> {team :string, urgent :bool, tags [:string]}",
    instructions: "Sort the support ticket.",
    descriptions: [{ name: "team", text: "billing, hardware or accounts" }],
    inputs: [
      {
        name: "ticket",
        text: "Hello,\nI was charged twice for the annual plan on 3 March. Please refund one of the two today, my card is at its limit.\nRegards, Ines",
      },
      { name: "customer_since", text: "2021" },
    ],
    demos: [
      {
        values: [
          { name: "ticket", text: "The lamp flickers since the last update." },
          { name: "team", text: "hardware" },
          { name: "urgent", text: "false" },
          { name: "tags", text: '["lamp", "firmware"]' },
        ],
      },
    ],
    replies: [
      "Team: billing\nUrgent: as soon as possible\nTags: refund, double charge",
      'Team: billing\nUrgent: true\nTags: ["refund", "double charge"]',
    ],
  },
};
