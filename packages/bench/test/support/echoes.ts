/** Whether a subject does what it says, and which of them need to be asked. */
import { expect, vi } from "vitest"
import { text } from "../../src/mcp/echo.ts"
import { small, type Subject } from "../../src/Subject.ts"
import { open } from "../../src/turn.ts"

/** Over streams, how a call is made and a handler written makes no difference that memory would not show. */
export const distinct = (subjects: ReadonlyArray<Subject>): ReadonlyArray<Subject> =>
  subjects.filter(({ name, wire }) => wire === "mem" || !/-(fiber|promise|no-deadline)$/.test(name))

/** All in memory, and one of a stream: each of the rest loads its modules in a process of its own. */
export const isQuick = ({ name, wire }: Subject): boolean => wire === "mem" || name === "tcp/parley"

/** What keeps this process alive: connections, processes, threads. */
const held = () =>
  process.getActiveResourcesInfo().filter((name) => !/^(Timeout|Immediate|TickObject|FSReqPromise)$/.test(name)).sort()

/** What a serving process is held by: itself, and the channel to it. */
const server = ["PipeWrap", "ProcessWrap"]

/** Opens it, calls once, closes it, and looks for what is left. */
const leavesNothing = async (subject: Subject, expectEcho: (echoed: unknown) => void): Promise<void> => {
  const before = held()
  const { client, stop } = await open(subject)
  expectEcho(await client.call(small))
  await client.close()
  const isServed = !/^(mcp-)?(mem|stdio|worker)/.test(subject.wire)
  await vi.waitFor(() => expect(held()).toEqual(isServed ? [...before, ...server].sort() : before))
  await stop()
  await vi.waitFor(() => expect(held()).toEqual(before))
}

/** Gives back what it is called with. */
export const echoes = (subject: Subject): Promise<void> =>
  leavesNothing(subject, (echoed) => expect(echoed).toEqual(small))

/** The same of MCP: what the tool gives back, or the list of all tools. */
export const answers = (subject: Subject): Promise<void> =>
  leavesNothing(subject, (answer) => {
    const said = JSON.stringify(answer)
    if (subject.wire === "mcp-http-list") expect(said).toContain("echo49")
    else expect(said).toContain(text)
  })
