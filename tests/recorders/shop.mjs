// The project that recorded sessions work on.

export const files = {
  "prices.json": '{ "tea": 4, "coffee": 5 }\n',
  "src/shop.js": `${Array.from({ length: 120 }, (_, line) => `export const row${line} = ${line};`).join("\n")}\n`,
};
