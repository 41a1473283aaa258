import { useMemo } from "preact/hooks";
import { CodeField } from "../../controls/code-field.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Group } from "../../controls/group.tsx";
import { programField } from "../../programs/fields.ts";
import type { TurnList } from "../../programs/store.ts";
import { turnsText, typeTurns } from "../../programs/turns-json.ts";

/** The turns as JSON, to paste and to copy. */
export function TurnsAsJson({ list }: { readonly list: TurnList }) {
  const isHistory = list === "history";
  const { problem } = turnsText[list].value;
  return (
    <Group
      id={programField(`${list}-json`)}
      title={isHistory ? "History as JSON" : "Demos as JSON"}
      summary="paste or copy"
      invalid={problem !== null}
    >
      <JsonField list={list} label={isHistory ? "History as JSON" : "Demos as JSON"} />
    </Group>
  );
}

function JsonField({ list, label }: { readonly list: TurnList; readonly label: string }) {
  const { text, problem } = turnsText[list].value;
  const problems = useMemo(() => (problem === null ? [] : [problem]), [problem]);
  return (
    <>
      <CodeField
        id={programField(`${list}-text`)}
        label={label}
        fullLabel={label}
        quiet
        language="json"
        placeholder='[{"question": "…", "answer": "…"}]'
        value={text}
        problems={problems}
        onInput={(next) => typeTurns(list, next)}
      />
      <div>
        <CopyButton text={text} label={`Copy ${label.toLowerCase().replace("json", "JSON")}`} />
      </div>
    </>
  );
}
