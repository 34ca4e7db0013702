/**
 * `parley diff` and `parley lock`: their arguments and flags.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ca, header, time, toggle } from "../arguments/flags.ts"
import { loaded } from "../arguments/loaded.ts"
import { reported } from "../conform/command.ts"

const what =
  "a file with an OpenRPC document, the result of tools/list or a lock; a module with a contract, as for openrpc; "
  + "or an endpoint that speaks MCP or serves rpc.discover"

const reached = {
  timeout: time.pipe(
    Flag.withDescription("How long an answer of an endpoint may take, as in 500ms or 5s (default: 30s)"),
    Flag.optional
  ),
  header,
  ca
}

const compared = {
  traffic: Flag.String("traffic").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("A recording of parley tap --record: tell which changes meet calls that were made"),
    Flag.optional
  ),
  strict: toggle(
    "strict",
    "Take it that values may have members that no schema speaks of, where schemas allow them: a new member breaks then"
  ),
  changelog: toggle("changelog", "Print text for a changelog, in Markdown, in place of a report"),
  ...reported
}

export const diff = Command.make(
  "diff",
  {
    before: Argument.String("BEFORE").pipe(Argument.withDescription(`The contract as it was: ${what}`)),
    after: Argument.String("AFTER").pipe(Argument.withDescription("The contract as it is now, likewise")),
    ...compared,
    ...reached
  },
  loaded(() => import("./diff.ts").then(({ diff }) => diff))
).pipe(
  Command.withDescription(
    "Compare two contracts: what breaks clients of the one that meet the other. Each break has a witness, a value that was "
      + "accepted and is not any more, or that may come and never came before. The exit code is 0 where nothing breaks, 1 "
      + "where something does, 3 where that is not known of some change, 2 where an endpoint cannot be reached, and 64 when "
      + "the arguments are wrong."
  ),
  Command.withShortDescription("Compare two contracts, and find what breaks"),
  Command.withExamples([
    { command: "parley diff openrpc.json https://example.org/rpc", description: "Has a deployed server changed?" },
    { command: "parley diff tools.lock.json \"stdio:node server.js\" --report diff.sarif" },
    { command: "parley diff old.json src/Bank.ts --traffic traffic.jsonl", description: "Which calls would break?" },
    { command: "parley diff v1.json v2.json --changelog" }
  ])
)

export const lock = Command.make(
  "lock",
  {
    contract: Argument.String("CONTRACT").pipe(Argument.withDescription(`The contract: ${what}`)),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("FILE"),
      Flag.withDescription("The file to write (default: stdout)"),
      Flag.optional
    ),
    check: Flag.String("check").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("Write nothing, but compare the contract with a lock, as parley diff FILE CONTRACT does"),
      Flag.optional
    ),
    ...compared,
    ...reached
  },
  loaded(() => import("./lock.ts").then(({ lock }) => lock))
).pipe(
  Command.withDescription(
    "Write what a contract offers and asks for as a lock file: JSON in one order, without descriptions. With --check, CI "
      + "fails as soon as the contract breaks those who know the lock; the exit codes are those of diff."
  ),
  Command.withShortDescription("Write what a contract offers, or check that nothing breaks"),
  Command.withExamples([
    { command: "parley lock src/Bank.ts --out bank.lock.json" },
    { command: "parley lock \"stdio:node server.js\" --check tools.lock.json", description: "In CI" }
  ])
)
