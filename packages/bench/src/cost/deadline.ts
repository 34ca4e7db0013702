/** Microseconds that a deadline costs each call in memory: `node deadline.ts 64`. */
import { find } from "../subjects.ts"
import { open } from "../turn.ts"
import { difference } from "./difference.ts"

const client = async (name: string) => (await open(await find(name))).client

const cost = await difference(
  await client("mem/parley"),
  await client("mem/parley-no-deadline"),
  Number(process.argv[2] ?? 64)
)
process.stdout.write(`${cost}\n`, () => process.exit())
