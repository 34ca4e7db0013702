/** Configurations of hosts as people write them, with comments and layouts of any kind. */
import { Arbitrary, Schema } from "effect"

/** Choices that follow from a seed. */
class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(this.#state / 2 ** 32 * most)
  }

  of<A>(first: A, ...others: ReadonlyArray<A>): A {
    return [first, ...others][this.below(1 + others.length)] ?? first
  }
}

const gap = (choices: Choices): string =>
  choices.of("", " ", "\n  ", "\r\n", "\t", " /* a */ ", "/* \"args\": [ */", " // , ]\u00a0\n", "\n\n    ")

/** A text as JSON, some of whose characters are escapes. */
const literal = (choices: Choices, text: string): string => {
  const written = JSON.stringify(text)
  return choices.below(4) === 3 && /^"[a-z]/.test(written)
    ? `"\\u00${text.charCodeAt(0).toString(16)}${written.slice(2)}`
    : written
}

const words = [
  "node",
  "npx",
  "a b",
  "it's",
  "say \"hi\"",
  "C:\\x",
  "${input:key}",
  "",
  "--",
  "-y",
  "tap",
  "é\u2028",
  "$(x)"
]

const list = (choices: Choices, members: ReadonlyArray<string>, [open, close]: readonly [string, string]): string => {
  const all = members.map((member) => `${gap(choices)}${member}${gap(choices)}`).join(",")
  return `${open}${all}${members.length > 0 ? choices.of("", "", `,${gap(choices)}`) : gap(choices)}${close}`
}

const object = (choices: Choices, members: ReadonlyArray<readonly [key: string, value: string]>): string =>
  list(choices, members.map(([key, value]) => `${key}${gap(choices)}:${gap(choices)}${value}`), ["{", "}"])

const word = (choices: Choices): string => literal(choices, words[choices.below(words.length)] ?? "")

const many = (choices: Choices, most: number, one: () => string): ReadonlyArray<string> =>
  Array.from({ length: choices.below(most + 1) }, one)

const others = (choices: Choices): ReadonlyArray<readonly [string, string]> =>
  [
    ["\"disabled\"", "true"],
    ["\"env\"", object(choices, [["\"KEY\"", word(choices)]])],
    ["\"cwd\"", word(choices)],
    ["\"timeout\"", "1e3"]
  ].flatMap(([key = "", value = ""]) => choices.below(3) === 2 ? [[key, value]] : [])

/** The members, in an order of these choices. */
const shuffled = <A>(choices: Choices, members: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...members]
  return members.flatMap(() => left.splice(choices.below(left.length), 1))
}

const commandServer = (choices: Choices): string => {
  const args = choices.below(3) === 2 ? [] : [[
    literal(choices, "args"),
    list(choices, many(choices, 3, () => word(choices)), ["[", "]"])
  ]] as const
  const type = choices.below(3) === 2 ? [["\"type\"", "\"stdio\""]] as const : []
  return object(
    choices,
    shuffled(choices, [[literal(choices, "command"), word(choices)], ...args, ...type, ...others(choices)])
  )
}

const headersObject = (choices: Choices): string =>
  object(
    choices,
    ["\"Authorization\"", "\"x-team\"", "\"X_Id\""]
      .filter(() => choices.below(2) === 1)
      .map((name) => [name, choices.of("\"Bearer ${input:key}\"", "\"a=b\"", "\"\\u0061 \\\"b\\\"\"")])
  )

const urlServer = (choices: Choices): string => {
  const type = choices.below(2) === 1
    ? [["\"type\"", choices.of("\"http\"", "\"sse\"", "\"streamable-http\"")]] as const
    : []
  const url = [choices.of("\"url\"", "\"serverUrl\""), literal(choices, "https://example.org/@a/mcp;b&c")] as const
  const headers = choices.below(2) === 1 ? [["\"headers\"", headersObject(choices)]] as const : []
  return object(choices, shuffled(choices, [url, ...type, ...headers, ["\"disabled\"", "false"]]))
}

/** A configuration with some servers, all of which can have a tap. */
const configuration = (choices: Choices): string => {
  const servers = many(choices, 4, () => choices.of(commandServer, commandServer, urlServer)(choices))
    .map((server, index) => [literal(choices, `${words[index] ?? ""} ${index}`), server] as const)
  const member = choices.of("\"mcpServers\"", "\"servers\"", "\"context_servers\"")
  const root = object(
    choices,
    shuffled(choices, [[member, object(choices, servers)], ["\"inputs\"", "[ {\"id\": 1.0} ]"]])
  )
  return `${choices.of("", "\uFEFF")}${gap(choices)}${root}${gap(choices)}`
}

export const configurations = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))),
  (seed) => configuration(new Choices(Math.imul(seed, 2_654_435_761)))
)
