import { TextField } from "../../controls/text-field.tsx";
import { type EndpointField, endpoint, endpointAsked, endpointProblems } from "../../run/endpoint.ts";

/** The settings of the endpoint. */
export function EndpointFields() {
  const problems = endpointAsked.value ? endpointProblems(endpoint.value) : null;
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
        These four stay in this page’s memory: they are in no link, no file and no storage, and gone when the page is
        closed. The key is sent to this address only.
      </p>
    </div>
  );
}
