/** What a text counts where texts are bounded: its characters, and about what it costs beside them. @internal */
export const weightOf = (text: string): number => text.length + 256
