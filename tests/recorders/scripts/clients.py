"""python clients.py API ORIGIN [stream]: the chat with the client of a provider: anthropic, chat, responses or gemini."""

import json
import sys

with open("orders.json") as file:
    ORDERS = json.load(file)
SYSTEM, TOOL, QUESTIONS = ORDERS["system"], ORDERS["tool"], ORDERS["questions"]


def lookup(order):
    return f"Order {order} is in Leipzig — “box {order}”."


def anthropic_client(origin, stream):
    from anthropic import Anthropic

    client, history = Anthropic(base_url=origin, api_key="nobody"), []
    tools = [{"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["parameters"]}]

    def ask(question=None, results=()):
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": output} for id, _, output in results]
        history.append({"role": "user", "content": question or blocks})
        body = {"model": "claude-sonnet-4-5", "max_tokens": 500, "system": SYSTEM, "tools": tools, "messages": list(history)}
        if stream:
            with client.messages.stream(**body) as events:
                reply = events.get_final_message()
        else:
            reply = client.messages.create(**body)
        history.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in reply.content]})
        return [(block.id, block.name, block.input) for block in reply.content if block.type == "tool_use"]

    return ask


def chat_client(origin, stream):
    from openai import OpenAI

    client, history = OpenAI(base_url=f"{origin}/v1", api_key="nobody"), [{"role": "system", "content": SYSTEM}]

    def ask(question=None, results=()):
        if question:
            history.append({"role": "user", "content": question})
        history.extend({"role": "tool", "tool_call_id": id, "content": output} for id, _, output in results)
        body = {"model": "gpt-4.1", "messages": list(history), "tools": [{"type": "function", "function": TOOL}]}
        if stream:
            message = {"role": "assistant", "content": ""}
            for chunk in client.chat.completions.create(**body, stream=True, stream_options={"include_usage": True}):
                for choice in chunk.choices:
                    message["content"] += choice.delta.content or ""
                    for call in choice.delta.tool_calls or []:
                        calls = message.setdefault("tool_calls", [])
                        if call.index == len(calls):
                            calls.append({"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": ""}})
                        calls[call.index]["function"]["arguments"] += call.function.arguments or ""
        else:
            message = client.chat.completions.create(**body).choices[0].message.model_dump(exclude_none=True)
        history.append(message)
        return [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message.get("tool_calls", [])]

    return ask


def responses_client(origin, stream):
    from openai import OpenAI

    client, history = OpenAI(base_url=f"{origin}/v1", api_key="nobody"), []

    def ask(question=None, results=()):
        if question:
            history.append({"role": "user", "content": question})
        history.extend({"type": "function_call_output", "call_id": id, "output": output} for id, _, output in results)
        tools = [{"type": "function", "strict": False, **TOOL}]
        body = {"model": "gpt-5.1", "instructions": SYSTEM, "input": list(history), "tools": tools, "store": False}
        if stream:
            for event in client.responses.create(**body, stream=True):
                if event.type == "response.completed":
                    reply = event.response
        else:
            reply = client.responses.create(**body)
        history.extend(item.model_dump(exclude_none=True) for item in reply.output)
        return [(item.call_id, item.name, json.loads(item.arguments)) for item in reply.output if item.type == "function_call"]

    return ask


def gemini_client(origin, stream):
    from google import genai
    from google.genai import types

    client, history = genai.Client(api_key="nobody", http_options=types.HttpOptions(base_url=origin)), []
    declaration = types.FunctionDeclaration(
        name=TOOL["name"], description=TOOL["description"], parameters_json_schema=TOOL["parameters"]
    )
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM, tools=[types.Tool(function_declarations=[declaration])]
    )

    def ask(question=None, results=()):
        parts = [
            types.Part(function_response=types.FunctionResponse(id=id, name=name, response={"output": output}))
            for id, name, output in results
        ]
        history.append(types.Content(role="user", parts=[types.Part(text=question)] if question else parts))
        asked = {"model": "gemini-2.5-flash", "contents": list(history), "config": config}
        replies = list(client.models.generate_content_stream(**asked)) if stream else [client.models.generate_content(**asked)]
        made = [part for reply in replies for part in reply.candidates[0].content.parts or [] if part.text != ""]
        history.append(types.Content(role="model", parts=made))
        return [(part.function_call.id, part.function_call.name, part.function_call.args) for part in made if part.function_call]

    return ask


def chat(ask):
    for question in QUESTIONS:
        calls = ask(question)
        while calls:
            calls = ask(results=[(id, name, lookup(**args)) for id, name, args in calls])


CLIENTS = {
    "anthropic": anthropic_client,
    "chat": chat_client,
    "responses": responses_client,
    "gemini": gemini_client,
}


def main(api, origin, mode=None):
    chat(CLIENTS[api](origin, mode == "stream"))


if __name__ == "__main__":
    main(*sys.argv[1:])
