"""python frameworks.py FRAMEWORK ORIGIN: an agent of a framework has the chat, and its messages are stored in the way of the framework."""

import asyncio
import json
import os
import sys

with open("orders.json") as file:
    ORDERS = json.load(file)
SYSTEM, QUESTIONS = ORDERS["system"], ORDERS["questions"]


def lookup(order: int) -> str:
    """Looks up an order.

    Args:
        order: The number of the order.
    """
    return f"Order {order} is in Leipzig — “box {order}”."


def save(name, data):
    with open(name, "w") as file:
        json.dump(data, file, ensure_ascii=False, indent=1, default=str)


async def openai_agents(origin, api="responses"):
    import agents
    from openai import AsyncOpenAI

    agents.set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{origin}/v1", api_key="nobody")
    kinds = {"responses": agents.OpenAIResponsesModel, "chat": agents.OpenAIChatCompletionsModel}
    model = kinds[api](model="gpt-5.1", openai_client=client)
    agent = agents.Agent(name="orders", instructions=SYSTEM, tools=[agents.function_tool(lookup)], model=model)
    session = agents.SQLiteSession("orders", "sessions.db")
    for question in QUESTIONS:
        result = await agents.Runner.run(agent, question, session=session)
    save("session.json", await session.get_items())
    save("input-list.json", result.to_input_list())


async def google_adk(origin):
    from google.adk.agents import LlmAgent
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    os.environ.update(GOOGLE_API_KEY="nobody", GOOGLE_GEMINI_BASE_URL=origin)
    agent = LlmAgent(name="orders", model="gemini-2.5-flash", instruction=SYSTEM, tools=[lookup])
    runner = InMemoryRunner(agent=agent, app_name="orders")
    session = await runner.session_service.create_session(app_name="orders", user_id="user")
    for question in QUESTIONS:
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            pass
    session = await runner.session_service.get_session(app_name="orders", user_id="user", session_id=session.id)
    save("session.json", session.model_dump(mode="json", exclude_none=True, by_alias=True))
    save("session-names.json", session.model_dump(mode="json"))
    save("events.json", [event.model_dump(mode="json", exclude_none=True) for event in session.events])


async def strands(origin):
    from strands import Agent, tool
    from strands.models.anthropic import AnthropicModel
    from strands.session.file_session_manager import FileSessionManager

    client = {"base_url": origin, "api_key": "nobody"}
    model = AnthropicModel(client_args=client, model_id="claude-sonnet-4-5", max_tokens=500)
    sessions = FileSessionManager(session_id="orders", storage_dir="sessions")
    agent = Agent(model=model, system_prompt=SYSTEM, tools=[tool(lookup)], session_manager=sessions, callback_handler=None)
    for question in QUESTIONS:
        await agent.invoke_async(question)
    save("messages.json", agent.messages)


async def smolagents(origin):
    from smolagents import OpenAIServerModel, ToolCallingAgent, tool

    model = OpenAIServerModel(model_id="gpt-4.1", api_base=f"{origin}/v1", api_key="nobody")
    agent = ToolCallingAgent(tools=[tool(lookup)], model=model, instructions=SYSTEM, verbosity_level=0)
    for index, question in enumerate(QUESTIONS):
        agent.run(question, reset=index == 0)
    save("steps.json", agent.memory.get_full_steps())


async def haystack(origin):
    from haystack.components.agents import Agent
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage
    from haystack.tools import create_tool_from_function
    from haystack.utils import Secret

    generator = OpenAIChatGenerator(
        model="gpt-4.1", api_base_url=f"{origin}/v1", api_key=Secret.from_token("nobody")
    )
    agent = Agent(chat_generator=generator, system_prompt=SYSTEM, tools=[create_tool_from_function(lookup)])
    messages = []
    for question in QUESTIONS:
        messages = agent.run(messages=[*messages, ChatMessage.from_user(question)])["messages"]
        messages = [one for one in messages if one.role != "system"]
    save("messages.json", [one.to_dict() for one in messages])


async def semantic_kernel(origin):
    from openai import AsyncOpenAI
    from semantic_kernel import Kernel
    from semantic_kernel.connectors.ai import FunctionChoiceBehavior
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
    from semantic_kernel.contents import ChatHistory
    from semantic_kernel.functions import kernel_function

    client = AsyncOpenAI(base_url=f"{origin}/v1", api_key="nobody")
    service = OpenAIChatCompletion(ai_model_id="gpt-4.1", async_client=client)
    kernel = Kernel()
    kernel.add_function(plugin_name="shop", function=kernel_function(lookup, name="lookup"))
    settings = OpenAIChatPromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    history = ChatHistory(system_message=SYSTEM)
    for question in QUESTIONS:
        history.add_user_message(question)
        history.add_message(await service.get_chat_message_content(history, settings, kernel=kernel))
    with open("history.json", "w") as file:
        file.write(history.serialize())


FRAMEWORKS = {
    "openai-agents": openai_agents,
    "google-adk": google_adk,
    "strands": strands,
    "smolagents": smolagents,
    "haystack": haystack,
    "semantic-kernel": semantic_kernel,
}

asyncio.run(FRAMEWORKS[sys.argv[1]](*sys.argv[2:]))
