import { useMemo } from "preact/hooks";
import { CopyButton } from "../../controls/copy-button.tsx";
import { read, shape } from "../../programs/program.ts";
import { typesOf } from "../../programs/typescript.ts";

/** The signature as JSON Schema and as TypeScript types. */
export function Shapes() {
  const signature = shape.value?.signature ?? null;
  const texts = useMemo(() => {
    if (signature === null) return null;
    const schema = (side: "input" | "output"): string => JSON.stringify(signature.jsonSchema(side), null, 2);
    return { types: typesOf(signature), output: schema("output"), input: schema("input") };
  }, [signature]);
  if (texts === null) return null;
  return (
    <section aria-label="Types and schemas" data-stale={read.value.signature === null || undefined}>
      <Code title="TypeScript" hint="as the compiler infers it" text={texts.types} />
      <Code title="JSON Schema of the outputs" text={texts.output} />
      <Code title="JSON Schema of the inputs" hint="without the history" text={texts.input} />
    </section>
  );
}

interface CodeProps {
  readonly title: string;
  readonly hint?: string;
  readonly text: string;
}

const Code = ({ title, hint, text }: CodeProps) => (
  <section class="program-code" aria-label={title}>
    <div class="program-head">
      <h2 class="pane-title">
        {title} {hint !== undefined && <span class="count">{hint}</span>}
      </h2>
      <CopyButton text={text} label={`Copy ${title}`} />
    </div>
    <pre>{text}</pre>
  </section>
);
