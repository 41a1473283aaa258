import { TextField } from "../../controls/text-field.tsx";
import { type EndpointField, endpoint, endpointProblems, marksMissingSettings } from "../../run/endpoint.ts";

/** The settings of the endpoint. */
export function EndpointFields() {
  const problems = marksMissingSettings.value ? endpointProblems(endpoint.value) : null;
  const field = (name: EndpointField) => ({
    id: `endpoint-${name}`,
    value: endpoint.value[name],
    trouble: problems?.get(name) ?? null,
    onInput: (text: string) => {
      endpoint.value = { ...endpoint.value, [name]: text };
    },
  });
  return (
    <div class="endpoint">
      <TextField {...field("address")} label="Address" placeholder="https://api.openai.com/v1" code />
      <TextField {...field("model")} label="Model name" placeholder="gpt-4.1-mini" code />
      <TextField {...field("key")} label="Key" placeholder="none" secret code />
      <TextField {...field("temperature")} label="Temperature" placeholder="default" numeric />
      <p class="field-hint">
        These four fields are kept in memory only, not in links, files or storage, and are gone when the page is closed.
        The key is sent to this address only.
      </p>
    </div>
  );
}
