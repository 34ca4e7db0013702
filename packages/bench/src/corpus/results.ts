/**
 * How many cases each library answers as the specification says.
 */
import { decided, type Group, groupOf, isRight } from "./judge.ts"
import type { Server } from "./Server.ts"

export interface Score {
  readonly right: number
  readonly of: number
}

/** By group of cases. */
export type Scores = Readonly<Record<Group, Score>>

/** Puts every case to a server, one after the other. Whatever it throws is a wrong answer. */
export const scoresOf = async (
  { ask }: Pick<Server, "ask">,
  onWrong: (name: string, answer: string | undefined) => void = () => {}
): Promise<Scores> => {
  const empty = { right: 0, of: 0 }
  const scores: Record<Group, Score> = { examples: empty, json: empty, messages: empty, batches: empty }
  for (const one of decided) {
    const answer = await ask(one.input).catch((error: unknown) => `it throws ${error}`)
    const right = isRight(one, answer)
    if (!right) onWrong(one.name, answer)
    const group = groupOf(one)
    scores[group] = { right: scores[group].right + (right ? 1 : 0), of: scores[group].of + 1 }
  }
  return scores
}

/** All groups together. */
export const totalOf = (scores: Scores): Score =>
  Object.values(scores).reduce((sum, { of, right }) => ({ right: sum.right + right, of: sum.of + of }))
