import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

describe("editing", () => {
  it("shows every key typed into the mission", () =>
    visit({}, async (visitor) => {
      await visitor.field("Mission").press("ControlOrMeta+End");
      for (const key of ["!", "?"]) {
        await visitor.field("Mission").press(key);
        await eventually.match(() => visitor.userMessage(), new RegExp(`^Find [^\\n]*\\${key}\\n`));
      }
    }));

  it("shows prints, entry by entry", () =>
    visit({}, async (visitor, page) => {
      await visitor.toggleTurn(4);
      await visitor.field("Print 1 of turn 4").fill("first line\nsecond line");
      await eventually.match(() => visitor.userMessage(), /;; Output:\nfirst line\nsecond line\nMouse: 25/);
      await visitor.press("Add print");
      await visitor.focusOn("Print 2 of turn 4");
      await page.keyboard.insertText("another entry");
      await eventually.match(() => visitor.userMessage(), /second line\nanother entry\nMouse: 25/);
      await visitor.press("Delete print 1 of turn 4");
      await eventually.match(() => visitor.userMessage(), /;; Output:\nanother entry\nMouse: 25/);
    }));

  it("shows the program and the error of a turn that failed last", () =>
    visit({ fragment: "#example=logs" }, async (visitor) => {
      await visitor.toggleTurn(4);
      await visitor.write("Program of turn 4", "(sort-by > :p99 points)");
      await eventually.match(() => visitor.userMessage(), /```clojure\n\(sort-by > :p99 points\)\n```/);
      await visitor.field("Message").fill("`points` is not defined");
      await visitor.field("Hint").fill("");
      await visitor.field("Not kept").fill("a b");
      await eventually.match(
        () => visitor.userMessage(),
        /Error: `points` is not defined\nNothing that this program defined was kept: a, b\.\n---/,
      );
      await visitor.field("Not kept").fill("");
      await eventually.match(() => visitor.userMessage(), /Error: `points` is not defined\n---/);
      await visitor.choose("Succeeded");
      await eventually.doesNotMatch(() => visitor.userMessage(), /Your previous attempt/);
    }));

  it("shows memory, functions and calls", () =>
    visit({}, async (visitor) => {
      await visitor.toggleTurn(1);
      await visitor.write("Memory of turn 1", "{:electronics [] :ratio 0.5}");
      await eventually.match(() => visitor.userMessage(), /\nelectronics +; = list\[0\]\n/);
      await eventually.match(() => visitor.userMessage(), /\nratio +; = float, sample: 0\.5\n/);
      await visitor.press("Add function");
      await visitor.field("Name of function 1 of turn 1").fill("cheap?");
      await visitor.field("Parameters of function 1 of turn 1").fill("p limit");
      await eventually.match(() => visitor.userMessage(), /\n\(cheap\? \[p limit\]\)\n/);
      await visitor.press("Add call");
      await visitor.field("Tool of call 1 of turn 1").fill("get-inventory");
      await visitor.write("Arguments of call 1 of turn 1", "{:warehouse 7}");
      await eventually.match(
        () => visitor.userMessage(),
        /;; Tool calls made:\n; {3}get-inventory\(\{:warehouse 7\}\)\n/,
      );
    }));

  it("shows a reply with more than its program, where replies are shown", () =>
    visit({}, async (visitor) => {
      await visitor.choose("none");
      await visitor.toggleTurn(1);
      await visitor.field("Reply").fill("Let me think.");
      await eventually.equal(async () => (await visitor.messages())[2].text, "Let me think.");
      await visitor.field("Reply").fill("");
      await eventually.match(
        async () => (await visitor.messages())[2].text,
        /^```clojure\n\(def electronics[^`]*\n```$/,
      );
    }));

  it("marks an invalid field and keeps the last valid messages", () =>
    visit({}, async (visitor, page) => {
      const good = await visitor.messages();
      await visitor.toggleTurn(2);
      const memory = await visitor.write("Memory of turn 2", "{:reviews\n [1 2}");
      await page.waitForSelector('.cm-content[aria-invalid="true"]');
      const message = page.locator(`[id="${await memory.getAttribute("aria-describedby")}"]`);
      await eventually.match(() => message.textContent(), /^Line 2, column \d+: /);
      await eventually.ok(async () => (await page.locator(".code-problem").count()) > 0);
      await eventually.deepEqual(() => visitor.messages(), good);
      await visitor.sees("These are the last valid messages.");

      await visitor.toggleTurn(2);
      await visitor.turn(2).getByText("can’t be read").waitFor();
      await visitor.press("Turn 2, memory");
      await visitor.focusOn("Memory of turn 2");

      await visitor.write("Memory of turn 2", "{:reviews [1 2]}");
      await eventually.match(() => visitor.userMessage(), /\nreviews +; = list\[2\], sample: \[1 2\]/);
      await eventually.equal(() => page.getByText("These are the last valid messages.").count(), 0);
    }));

  it("marks data that is not a map, an invalid signature, and a limit that is not a number", () =>
    visit({}, async (visitor) => {
      await visitor.toggleGroup("Data");
      await visitor.write("Data", "[1 2]");
      await visitor.sees("Write a map whose keys are keywords");
      await visitor.write("Data", "{:answer 42}");
      await eventually.match(() => visitor.userMessage(), /\ndata\/answer +; integer, sample: 42\n/);

      const isMarked = (label) => visitor.field(label).getAttribute("aria-invalid");
      await visitor.toggleGroup("Tools");
      await visitor.field("Signature of tool 2").fill("(x :string");
      await eventually.equal(() => isMarked("Signature of tool 2"), "true");
      await visitor.field("Signature of tool 2").fill("(x :string) -> :int");
      await eventually.equal(() => isMarked("Signature of tool 2"), null);
      await eventually.match(() => visitor.userMessage(), /\ntool\/get-inventory\(x :string\) -> :int/);

      await visitor.toggleGroup("Tune");
      await visitor.field("Prints").fill("many");
      await eventually.equal(() => isMarked("Prints"), "true");
      await visitor.sees("Write a whole number");
      await visitor.field("Prints").fill("");
      await visitor.toggleGroup("Output and turns");
      await visitor.field("Turns allowed").fill("0");
      await eventually.equal(() => isMarked("Turns allowed"), "true");
    }));

  it("adds, duplicates, moves, drags and deletes turns", () =>
    visit({ height: 1300 }, async (visitor, page) => {
      const programs = () => page.locator(".turn-preview").allTextContents();
      const start = await programs();

      await visitor.press("Move turn 1 down");
      await eventually.deepEqual(() => programs(), [start[1], start[0], ...start.slice(2)]);
      await visitor.press("Move turn 2 up");
      await eventually.deepEqual(() => programs(), start);

      const drag = (from, to) => visitor.turn(from).locator("[data-drag]").dragTo(visitor.turn(to));
      await drag(5, 1);
      await eventually.deepEqual(() => programs(), [start[4], ...start.slice(0, 4)]);
      await drag(1, 5);
      await eventually.deepEqual(() => programs(), start);

      await visitor.press("Duplicate turn 5");
      const reserved = /; {3}reserve\(\{:product "Monitor"\}\)\n; {3}reserve\(\{:product "Mouse"\}\)/;
      await eventually.match(() => visitor.userMessage(), reserved);
      await eventually.match(() => visitor.userMessage(), /Turns left: 2$/);
      await visitor.press("Delete turn 6");
      await visitor.press("Delete turn 4");
      await eventually.doesNotMatch(() => visitor.userMessage(), /Candidates: Mouse, Monitor/);
      await eventually.match(() => visitor.userMessage(), /Turns left: 4$/);
      await visitor.press("Undo");
      await eventually.match(() => visitor.userMessage(), /Candidates: Mouse, Monitor/);

      for (let left = 5; left > 0; left--) await visitor.press("Delete turn 1");
      await visitor.sees("No turns yet");
      await visitor.press("Add turn");
      await eventually.equal(() => page.locator(".turn").count(), 1);
    }));

  it("“Reset” restores the example, and can be undone", () =>
    visit({}, async (visitor) => {
      await visitor.field("Mission").fill("Something else");
      await visitor.press("Menu");
      await visitor.press("Reset");
      await eventually.match(() => visitor.userMessage(), /^Find well-reviewed/);
      await visitor.press("Undo");
      await eventually.match(() => visitor.userMessage(), /^Something else/);
    }));
});
