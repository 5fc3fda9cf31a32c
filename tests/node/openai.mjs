// node openai.mjs chat | chat_stream | chat_run_tools | responses | responses_stream | unanswered

import OpenAI from "openai";
import { CITY, DESCRIPTIONS, QUESTION, main, report, run } from "./tools.mjs";

const client = new OpenAI();
const model = "gpt-5.4-mini";
const flat = Object.entries(DESCRIPTIONS).map(([name, description]) => ({
  type: "function",
  name,
  description,
  parameters: CITY,
  strict: true,
}));
const nested = flat.map(({ type, ...definition }) => ({ type, function: definition }));
const asked = [{ role: "user", content: QUESTION }];

function withResults(message) {
  const results = message.tool_calls.map((call) => ({
    role: "tool",
    tool_call_id: call.id,
    content: run(call.function.name, JSON.parse(call.function.arguments)),
  }));
  return [...asked, message, ...results];
}

async function chat() {
  const first = await client.chat.completions.create({ model, tools: nested, messages: asked });
  const messages = withResults(first.choices[0].message);
  const answer = await client.chat.completions.create({ model, tools: nested, messages });
  report([answer.choices[0].message.content]);
}

async function chatStream() {
  const first = await client.chat.completions.stream({ model, tools: nested, messages: asked }).finalMessage();
  const pieces = [];
  await client.chat.completions
    .stream({ model, tools: nested, messages: withResults(first) })
    .on("content", (piece) => pieces.push(piece))
    .done();
  report(pieces);
}

async function chatRunTools() {
  const runnable = nested.map((tool) => ({
    type: "function",
    function: { ...tool.function, parse: JSON.parse, function: (input) => run(tool.function.name, input) },
  }));
  const runner = client.chat.completions.runTools({ model, tools: runnable, messages: asked });
  report([await runner.finalContent()]);
}

function outputs(response) {
  return response.output
    .filter((item) => item.type === "function_call")
    .map((item) => ({
      type: "function_call_output",
      call_id: item.call_id,
      output: run(item.name, JSON.parse(item.arguments)),
    }));
}

async function responses() {
  const first = await client.responses.create({ model, tools: flat, input: QUESTION });
  const input = outputs(first);
  const answer = await client.responses.create({ model, tools: flat, input, previous_response_id: first.id });
  report([answer.output_text]);
}

async function responsesStream() {
  const first = await client.responses.stream({ model, tools: flat, input: QUESTION }).finalResponse();
  // The stream adds `parsed_arguments`, which the service refuses to take back.
  const items = first.output.map(({ parsed_arguments, ...item }) => item);
  const input = [...asked, ...items, ...outputs(first)];
  const pieces = [];
  await client.responses
    .stream({ model, tools: flat, input })
    .on("response.output_text.delta", (event) => pieces.push(event.delta))
    .done();
  report(pieces);
}

async function unanswered() {
  const first = await client.chat.completions.create({ model, tools: nested, messages: asked });
  const { message } = first.choices[0];
  try {
    const messages = [...asked, message, { role: "user", content: "Well?" }];
    await client.chat.completions.create({ model, tools: nested, messages });
  } catch (error) {
    const isOurs = error instanceof OpenAI.BadRequestError && error.message.includes(message.tool_calls[0].id);
    report([isOurs ? "BadRequestError names the call" : String(error)]);
  }
}

await main({
  chat,
  chat_stream: chatStream,
  chat_run_tools: chatRunTools,
  responses,
  responses_stream: responsesStream,
  unanswered,
});
