// Parses Markdown as Discord does. Each line read is [text, rules] as JSON; each line written is its syntax tree.
// Rules are "extended" where masked links are links, as in an embed's description, and "normal" elsewhere.
"use strict";

const readline = require("node:readline");
const { parse } = require("discord-markdown-parser");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [text, rules] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(parse(text, rules))}\n`);
});
