declare module '*.c' {
  const text: string;
  export default text;
}
