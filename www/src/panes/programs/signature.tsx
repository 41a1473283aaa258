import { useMemo } from "preact/hooks";
import { parseSignature } from "turnfold/predict";
import { CodeField } from "../../controls/code-field.tsx";
import { StartFrom } from "../../controls/start-from.tsx";
import { isHistory, programField } from "../../programs/fields.ts";
import { built, read, shape } from "../../programs/program.ts";
import { changePrograms, editPrograms, openProgramExample, programExamples, programs } from "../../programs/store.ts";
import { signatureSentence } from "../../programs/words.ts";

const FIELD = programField("signature");

/** The field of the signature, with the examples. */
export function SignatureEditor() {
  const { signature } = programs.value;
  const problem = built.value.problems.get(FIELD) ?? null;
  const problems = useMemo(() => (problem === null ? [] : [problem]), [problem]);
  return (
    <div class="chat-input">
      <h2 class="visually-hidden">Signature</h2>
      <StartFrom
        examples={programExamples}
        isOpen={(example) => signature === example.saved.signature}
        open={(example) => openProgramExample(example)}
      />
      <CodeField
        id={FIELD}
        label="Signature"
        fullLabel="Signature"
        hint="question, limit: int -> answer, or (question :string, limit :int) -> {answer :string}"
        language="signature"
        placeholder="question -> answer"
        value={signature}
        problems={problems}
        onInput={(text) => editPrograms({ signature: text })}
      />
      <p class="chat-shape" role="status">
        {sentence(signature)}
      </p>
    </div>
  );
}

function sentence(text: string): string {
  const { signature } = read.value;
  if (signature !== null) return signatureSentence(text, signature);
  return shape.value === null ? "" : "The fields are those of the last signature that could be read.";
}

/** Adds an input for the history to the signature, in either notation. */
export function addHistoryInput(): void {
  const { inputs, outputs } = parseSignature(programs.value.signature);
  const names = new Set([...inputs, ...outputs].map(({ name }) => name.toLowerCase()));
  const name = ["history", "conversation", "earlier_turns"].find((each) => !names.has(each));
  if (name === undefined || inputs.some(isHistory)) return;
  const more = parseSignature({ inputs: [...inputs, { name, type: "History" }], outputs });
  changePrograms({ signature: String(more) }, `The signature has an input ${name} now.`);
}
