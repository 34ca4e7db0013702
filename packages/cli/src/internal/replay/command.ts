/**
 * `parley record`, `parley replay` and `parley mock`: their arguments and flags.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { ca, dialect, endpointOrCommand, framing, header, places, tapped, time, toggle } from "../arguments/flags.ts"
import { loaded } from "../arguments/loaded.ts"
import { reported } from "../conform/command.ts"

const file = (what: string) => Argument.String("FILE").pipe(Argument.withDescription(what))

const ignore = Flag.String("ignore").pipe(
  Flag.withMetavar("POINTER|METHOD"),
  Flag.withDescription(
    "A place of messages that may differ, as in /result/serverInfo/version, where * is any one name; or a method whose "
      + "messages may differ, as in '$/progress'; may be repeated"
  ),
  Flag.atLeast(0)
)

export const record = Command.make(
  "record",
  {
    ...tapped,
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("FILE"),
      Flag.withDescription("The recording, to whose end the messages are added")
    ),
    secrets: toggle("secrets", "Record secrets, which are replaced otherwise")
  },
  loaded(() => import("./record.ts").then(({ record }) => record))
).pipe(
  Command.withDescription(
    "Connect clients to an endpoint, as proxy does, and record what both sides say: for replay and mock. Secrets are left "
      + "out, by the names of members and by their shapes. The command ends with its client on stdio, else at Ctrl-C."
  ),
  Command.withShortDescription("Record what clients and an endpoint say"),
  Command.withExamples([
    { command: "parley record --out session.jsonl --listen stdio: -- node server.js" },
    { command: "parley record http://127.0.0.1:3000/mcp --out session.jsonl --redact pin" }
  ])
)

export const replay = Command.make(
  "replay",
  {
    file: file("A recording of record, or of tap --record"),
    endpoint: endpointOrCommand,
    ignore,
    timeout: time.pipe(
      Flag.withDescription("How long a response may take, as in 500ms or 5s (default: 10s)"),
      Flag.optional
    ),
    patience: Flag.String("patience").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("How long a notification may take (default: 1s)"),
      Flag.optional
    ),
    dialect,
    framing: framing("How a stream separates messages", { usual: "as it was recorded" }),
    header,
    ca,
    ...reported
  },
  loaded(() => import("./replay.ts").then(({ replay }) => replay))
).pipe(
  Command.withDescription(
    "Send the client's part of a recording to an endpoint, answer what it asks as the client did, and tell what differs "
      + "from what the recorded server said: messages that are missing, additional or changed. Ids, times, tokens and drawn "
      + "values may differ. The exit code is 0 where nothing differs, 1 where something does, 2 where the endpoint cannot be "
      + "reached, and 64 when the arguments are wrong."
  ),
  Command.withShortDescription("Play a recording to an endpoint, and tell what differs"),
  Command.withExamples([
    { command: "parley replay session.jsonl -- node server.js" },
    { command: "parley replay session.jsonl http://127.0.0.1:3000/mcp --ignore /result/serverInfo/version" }
  ])
)

export const mock = Command.make(
  "mock",
  {
    file: file(
      "A recording, an OpenRPC document, or a module with a contract, as in src/Bank.ts or src/Bank.ts#Bank"
    ),
    ...places,
    ignore,
    pace: toggle("pace", "Pause as long as the recorded server did"),
    fault: Flag.String("fault").pipe(
      Flag.withMetavar("METHOD=FAULT"),
      Flag.withDescription(
        "What becomes of the answers to a method: error:CODE, drop, close or garble, with :every N behind it for each N-th; * in METHOD is any text; may be repeated"
      ),
      Flag.atLeast(0)
    ),
    delay: Flag.String("delay").pipe(
      Flag.withMetavar("METHOD=TIME"),
      Flag.withDescription("How much later the answers to a method come, as in tools/call=200ms; may be repeated"),
      Flag.atLeast(0)
    ),
    strict: toggle("strict", "Exit with 1 if something was asked that was not found as it is"),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Generate the same values again, for a document or contract (default: 1)"),
      Flag.withDefault(1)
    ),
    dialect,
    framing: framing("How a stream separates messages", { usual: "as it was recorded" })
  },
  loaded(() => import("./mock.ts").then(({ mock }) => mock))
).pipe(
  Command.withDescription(
    "Serve a recording in place of its server. A request is looked for by its method and params; where it is not found, the "
      + "one of its method that is most like it is answered. At its end the command tells on stderr what was asked and not "
      + "found, and what differs from the nearest. For an OpenRPC document or a contract, it answers with examples, else with "
      + "values that fit, and refuses params that do not."
  ),
  Command.withShortDescription("Serve a recording, a document or a contract in place of a server"),
  Command.withExamples([
    { command: "parley mock session.jsonl --stdio", description: "For a host that starts its servers" },
    { command: "parley mock session.jsonl --http 127.0.0.1:3000/mcp --strict" },
    { command: "parley mock openrpc.json --tcp 127.0.0.1:4000 --fault 'withdraw=error:1001:every 3'" },
    { command: "parley mock session.jsonl --ws 127.0.0.1:0 --delay tools/call=200ms" }
  ])
)
