// node anthropic.mjs create | stream | runner | runner_stream | runner_without_thread | unanswered

import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { CITY, DESCRIPTIONS, QUESTION, main, report, run } from "./tools.mjs";

const client = new Anthropic();
const tools = Object.entries(DESCRIPTIONS).map(([name, description]) => ({ name, description, input_schema: CITY }));
const request = { model: "claude-haiku-5-5", max_tokens: 1000, tools };
const asked = [{ role: "user", content: QUESTION }];

function withResults(first) {
  const results = first.content
    .filter((block) => block.type === "tool_use")
    .map((block) => ({ type: "tool_result", tool_use_id: block.id, content: run(block.name, block.input) }));
  return [...asked, { role: "assistant", content: first.content }, { role: "user", content: results }];
}

async function create() {
  const first = await client.messages.create({ ...request, messages: asked });
  const answer = await client.messages.create({ ...request, messages: withResults(first) });
  report([answer.content.at(-1).text]);
}

async function stream() {
  const first = await client.messages.stream({ ...request, messages: asked }).finalMessage();
  const pieces = [];
  await client.messages
    .stream({ ...request, messages: withResults(first) })
    .on("text", (piece) => pieces.push(piece))
    .done();
  report(pieces);
}

function toolRunner(more) {
  const runnable = Object.entries(DESCRIPTIONS).map(([name, description]) =>
    betaTool({ name, description, inputSchema: CITY, run: (input) => run(name, input) }),
  );
  return client.beta.messages.toolRunner({ ...request, tools: runnable, messages: asked, ...more });
}

async function runner(more = {}) {
  const answer = await toolRunner(more).runUntilDone();
  report([answer.content.at(-1).text]);
}

async function runnerStream() {
  let pieces = [];
  for await (const one of toolRunner({ stream: true })) {
    pieces = [];
    for await (const event of one) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") pieces.push(event.delta.text);
    }
  }
  report(pieces);
}

async function unanswered() {
  const first = await client.messages.create({ ...request, messages: asked });
  const call = first.content.find((block) => block.type === "tool_use");
  const messages = [...asked, { role: "assistant", content: first.content }, { role: "user", content: "Well?" }];
  try {
    await client.messages.create({ ...request, messages });
  } catch (error) {
    const isOurs = error instanceof Anthropic.BadRequestError && error.message.includes(call.id);
    report([isOurs ? "BadRequestError names the call" : String(error)]);
  }
}

await main({
  create,
  stream,
  runner,
  runner_stream: runnerStream,
  runner_without_thread: () => runner({ thread: false }),
  unanswered,
});
