// The two tools, the question, and what a test reports: one JSON object on one line.

export const QUESTION = "What is the weather in Madrid, and what time is it in Tokyo?";

export const CITY = {
  type: "object",
  properties: { city: { type: "string", description: "The city, for example Lisbon." } },
  required: ["city"],
  additionalProperties: false,
};

export const DESCRIPTIONS = {
  get_weather: "Get the current weather in a city.",
  get_time: "Get the current local time in a city.",
};

const called = [];

export function run(name, { city }) {
  called.push(`${name} ${city}`);
  return name === "get_weather" ? "sunny, 21 degrees" : "18:30";
}

// `pieces` are the texts of a streamed answer, or the one text of a whole answer.
export function report(pieces) {
  console.log(JSON.stringify({ called: called.sort(), text: pieces.join(""), pieces: pieces.length }));
}

// Runs the conversation that the command line names.
export async function main(conversations) {
  await conversations[process.argv[2]]();
}
