/** The weight of a text where texts are bounded: its characters, and about as much as it costs beside them. @internal */
export const weightOf = (text: string): number => text.length + 256
