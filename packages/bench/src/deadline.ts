/** Microseconds that a deadline costs each call in memory: `node deadline.ts 64`. */
import { difference } from "./difference.ts"
import { load } from "./subjects.ts"
import { open } from "./turn.ts"

const client = async (name: string) => {
  const [subject] = await load(new RegExp(`^${name}$`))
  if (subject === undefined) throw new Error(`no subject ${name}`)
  return (await open(subject)).client
}

const cost = await difference(
  await client("mem/parley"),
  await client("mem/parley-no-deadline"),
  Number(process.argv[2] ?? 64)
)
process.stdout.write(`${cost}\n`, () => process.exit())
