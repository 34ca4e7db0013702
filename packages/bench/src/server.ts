/**
 * The serving side of one subject, in a child process: `node server.ts tcp/parley`.
 */
import { load } from "./subjects.ts"

const name = process.argv[2] ?? ""
const subject = (await load(/^/)).find((one) => one.name === name)
if (subject?.wire === "stdio") subject.serve()
else if (subject?.wire === "tcp") {
  process.send?.({ port: await subject.serve() })
  process.on("disconnect", () => process.exit())
} else throw new Error(`no subject ${name} over a stream`)
