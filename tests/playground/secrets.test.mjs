// Secrets and personal data that are found in a state before it is shared, and their placeholders.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, openPage } from "./page.mjs";

const { scanned, findingsOf, searchWords, blanked, hint } = await load("secrets", "share/secrets.ts");

const findingsIn = (state, words = []) => findingsOf(scanned(state), words);

const stateOf = async (saved) => (await openPage()).saved.fromSaved(saved);

const found = (state, words) => findingsIn(state, words).map(({ kind, text }) => [kind, text]);

describe("findings", () => {
  for (const [kind, text, around = text] of [
    ["API key", "sk-proj-abcdefghijklmnop1234", "Use sk-proj-abcdefghijklmnop1234, please"],
    ["API key", "ghp_0123456789abcdefghijABCDEFGHIJ"],
    ["API key", "AKIAIOSFODNN7EXAMPLE"],
    ["token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi"],
    ["token", "abcdefghijklmnopqrstuvw", "Authorization: Bearer abcdefghijklmnopqrstuvw"],
    ["password", "anna:pa55word", "postgres://anna:pa55word@db.internal/shop"],
    ["password", "hunter22", '{"password": "hunter22"}'],
    ["password", "hunter22", '{:password "hunter22"}'],
    ["password", "abc123xyz9", "export DB_TOKEN=abc123xyz9"],
    ["password", "hunter2", "The password is hunter2, don't tell."],
    ["password", "Tr0ub4dor&3", "password for the printer in the hall: Tr0ub4dor&3"],
    ["password", "hunter22", "Das Passwort lautet hunter22."],
    ["password", "correct!horse", "pwd: correct!horse"],
    ["password", "abc123xyz9", "api_key: abc123xyz9"],
    ["password", "swordfish", "DB_PASSWORD=swordfish"],
    ["private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQHYBF\n-----END PGP PRIVATE KEY BLOCK-----"],
    [
      "private key",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/AbCd",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/AbCd (cut off)",
    ],
    ["private key", "AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"],
    ["bank account", "DE89 3704 0044 0532 0130 00", "to DE89 3704 0044 0532 0130 00, please"],
    ["bank account", "GB82WEST12345698765432"],
    ["bank account", "NO9386011117947"],
    ["card number", "4539 5787 6362 1486", "card 4539 5787 6362 1486, 12/27"],
    ["card number", "5421837562947106", '{"card":"5421837562947106"}'],
    ["card number", "371234567890120"],
    ["IP address", "84.112.7.200", "from 84.112.7.200:443"],
    ["IP address", "2a02:8109:9c40:1234::7"],
    ["e-mail address", "bob.smith@corp.de", "<bob.smith@corp.de>"],
    ["phone number", "+49 30 1234567", "call +49 30 1234567."],
    ["phone number", "(030) 123-45678"],
    ["user name", "jan", "at /home/jan/project"],
    ["user name", "jan", "at C:\\Users\\jan\\project"],
    ["random text", "Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MEFCQ0RFRg=="],
  ]) {
    it(`include ${kind}: ${around}`, async () => {
      assert.deepEqual(found(await stateOf({ mission: around })), [[kind, text]]);
    });
  }

  for (const text of [
    "anna@example.com and ops@shop.test",
    "2024-01-12 10:00:00, 1,234,567 of 12345678901 and 192.168.100.200",
    "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
    "call_AbCdEfGhIjKlMnOpQrStUvWx1",
    "single-user-coalesced/rolling-window/per-turn-summary",
    "/home/user/app and /Users/Shared",
    "tokens=42 and max_tokens=4096",
    "the password is wrong, and the secret: nobody knows",
    "login(user=request.user, password=request.password, token=get_token())",
    'const token = process.env.TOKEN; secret: Uint8Array; "password": "string"',
    "API_KEY=your-key-here SECRET=$SECRET POSTGRES_PASSWORD=postgres TOKEN=xxxxxxxx",
    "DE89370400440532013001 and AB12 CDEF 1234 5678",
    "4539 5787 6362 1487, 4242 4242 4242 4242 and 1740200000000",
    "10.0.3.17, 172.16.254.1, 203.0.113.9, Chrome/120.0.0.0, version 2.10.30.41 and 1.2.3.4",
    "2001:db8::1, 12:30:45, std::fs::read and 2026:10:11",
    "noreply@github.com",
    "/src/migrations/1740000000000-AddDeviceApprovals and TestBuildProviderSnapshotEmitsSchema11Fields",
  ]) {
    it(`do not include: ${text}`, async () => {
      assert.deepEqual(found(await stateOf({ mission: text })), []);
    });
  }

  it("include text in strings with escapes, at any depth", async () => {
    const inner = JSON.stringify({ text: "line\nbob@corp.de\té" });
    const messages = JSON.stringify([{ role: "tool", content: inner }]);
    assert.deepEqual(found(await stateOf({ chat: { messages } })), [["e-mail address", "bob@corp.de"]]);
  });

  it("leave the rest of the text without the secret, where its name is the same text", async () => {
    const { rest } = scanned(await stateOf({ mission: "my_secret_9=my_secret_9" }));
    assert.deepEqual(
      rest.split("\0").filter((part) => part.includes("secret")),
      ["my_secret_9="],
    );
  });

  it("include the user's words in any case, as whole words", async () => {
    const state = await stateOf({ mission: "Anna, ANNA and Annabel" });
    assert.deepEqual(found(state, ["anna"]), [
      ["your word", "Anna"],
      ["your word", "ANNA"],
    ]);
  });

  it("list words before secrets, which keep their placeholders, except where a word is a user name", async () => {
    const state = await stateOf({
      mission: "jan at /home/jan/x, eve at /home/eve/x, key-0123456789 is SECRET=key-0123456789",
    });
    const all = (words) =>
      findingsIn(state, words).map(({ kind, text, count, placeholder }) => [kind, text, count, placeholder]);
    const secret = (count) => ["password", "key-0123456789", count, "password-1"];
    assert.deepEqual(all([]), [secret(1), ["user name", "jan", 1, "user-1"], ["user name", "eve", 1, "user-2"]]);
    assert.deepEqual(all(["Jan", "key-0123456789"]), [
      ["your word", "jan", 2, "name-1"],
      secret(2),
      ["user name", "eve", 1, "user-2"],
    ]);
  });

  it("include words at every place of a long text, counted once, searched in steps", async () => {
    const sentence = "Anna-Lena meets 𝒳 ANNA. ";
    const scan = scanned(await stateOf({ mission: sentence.repeat(20_000) }));
    const steps = [...searchWords(scan, ["anna", "anna-lena", "𝒳"])].length;
    assert.ok(steps > 10, `${steps} steps`);
    assert.deepEqual([...searchWords(scan, ["anna"])], []);
    assert.deepEqual(
      findingsOf(scan, ["anna", "anna-lena", "𝒳", "meet"]).map(({ text, count }) => [text, count]),
      ["Anna", "ANNA", "Anna-Lena", "𝒳"].map((text) => [text, 20_000]),
    );
  });

  it("are in no example", async () => {
    const { exampleList, examples, store, chat } = await openPage();
    for (const { id } of exampleList.examples) {
      const example = await examples.loadExample(id);
      assert.deepEqual(found(store.stateOf(example)), [], id);
    }
    for (const example of chat.chatExamples) assert.deepEqual(found({ chat: example.chat }), [], example.title);
  });

  it("include the letters of any script before an address", async () => {
    assert.deepEqual(found(await stateOf({ mission: `${"漢".repeat(50_000)} 李@公司.中国` })), [
      ["e-mail address", "李@公司.中国"],
    ]);
  });

  it("are shown shortened, so that they can be recognised but not used", async () => {
    const [key] = findingsIn(await stateOf({ mission: "sk-proj-abcdefghijklmnop1234" }));
    assert.equal(hint(key), "sk-pro…34");
    const of = (kind, text) => hint({ kind, text });
    for (const length of [4, 6, 8, 11, 12, 16, 20, 40]) {
      const text = "0123456789".repeat(4).slice(0, length);
      const shown = of("password", text).replace("…", "");
      assert.ok(shown.length <= length / 3, `${shown} of ${text}`);
    }
    assert.equal(of("card number", "4539 5787 6362 1486"), "4539…86");
    assert.equal(of("your word", "a\u200Bb\u202Ec\u{E0041}"), "a[U+200B]b[U+202E]c[U+E0041]");
  });
});

describe("blanking", () => {
  it("uses the same placeholder everywhere, keeps JSON valid and unchanged parts the same objects", async () => {
    const messages = JSON.stringify([{ role: "user", content: "a\nbob@corp.de, C:\\Users\\jan\\x" }], null, 2);
    const state = await stateOf({
      mission: "Write to bob@corp.de, not eve@corp.de",
      chat: { messages },
      turns: [{ program: "(def a 1)" }, { program: '(mail "x\\nbob@corp.de")' }],
    });
    const next = blanked(state, findingsIn(state));
    assert.equal(next.mission, "Write to email-1@example.com, not email-2@example.com");
    assert.equal(JSON.parse(next.chat.messages)[0].content, "a\nemail-1@example.com, C:\\Users\\user-1\\x");
    assert.equal(next.turns[0], state.turns[0]);
    assert.equal(next.turns[1].program, '(mail "x\\nemail-1@example.com")');
    assert.deepEqual(findingsIn(next), []);
  });

  it("replaces thousands of texts, each by a placeholder of its own", async () => {
    const people = Array.from({ length: 5000 }, (_, index) => `person${index}@corp.de`);
    const messages = JSON.stringify(people.map((content) => ({ role: "user", content })));
    const state = await stateOf({ mission: "email-7@example.com", chat: { messages } });
    const findings = findingsIn(state);
    assert.equal(new Set(findings.map(({ placeholder }) => placeholder)).size, people.length);
    const next = JSON.parse(blanked(state, findings).chat.messages).map(({ content }) => content);
    // The seventh number is taken.
    const numbers = people.map((_, index) => (index < 6 ? index + 1 : index + 2));
    assert.deepEqual(
      next,
      numbers.map((number) => `email-${number}@example.com`),
    );
  });

  it("replaces a secret as a whole when it contains a user name and a word", async () => {
    const state = await stateOf({ mission: "postgres://anna:pa55word@db/x by anna of /home/anna/x" });
    assert.equal(
      blanked(state, findingsIn(state, ["anna"])).mission,
      "postgres://password-1@db/x by name-1 of /home/name-1/x",
    );
  });

  it("does not change its own placeholders, for any words", async () => {
    const state = await stateOf({ mission: "The user, Name Email: bob@corp.de in /home/bob/name" });
    const words = ["user", "name", "name email", "example", "home"];
    assert.equal(
      blanked(state, findingsIn(state, words)).mission,
      "The name-1, name-3: email-1@example.com in /name-4/user-1/name-2",
    );
  });

  it("keeps a word in a spelling that is not chosen", async () => {
    const state = await stateOf({ mission: "Anna, ANNA and Anna Smith" });
    const chosen = findingsIn(state, ["anna", "anna smith"]).filter(({ text }) => text !== "ANNA");
    assert.equal(blanked(state, chosen).mission, "name-1, ANNA and name-2");
  });

  it("replaces only the chosen findings, with unused numbers", async () => {
    const state = await stateOf({ mission: "email-1@example.com, bob@corp.de, eve@corp.de" });
    const [bob, eve] = findingsIn(state);
    assert.equal(bob.placeholder, "email-2@example.com");
    assert.equal(blanked(state, [eve]).mission, "email-1@example.com, bob@corp.de, email-3@example.com");
  });
});
