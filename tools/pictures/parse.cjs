// Parses Markdown as Discord does. Reads [[text, rules], ...] as JSON and writes one syntax tree for each;
// rules are "extended" for an embed's description and "normal" elsewhere, where masked links are no links.
"use strict";

const fs = require("node:fs");
const { parse } = require("discord-markdown-parser");

const texts = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(([text, rules]) => parse(text, rules))));
