// Films of the view: WebM by the browser's own encoder, or all pictures in one ZIP file.
import { element } from "./ui";

/** Bytes of a ZIP file without compression (PNG is compressed already). */
export function zip(files: { name: string; bytes: Uint8Array }[]): Blob {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const check = (bytes: Uint8Array) => {
    let c = 0xffffffff;
    for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let length = 0;
  for (const { name, bytes } of files) {
    const label = new TextEncoder().encode(name);
    // Both headers have the same fields, from the version that is needed on.
    const header = (size: number, sign: number, from: number) => {
      const view = new DataView(new ArrayBuffer(size));
      view.setUint32(0, sign, true);
      view.setUint16(from, 20, true);
      view.setUint16(from + 8, 0x21, true); // 1 January 1980: the same run gives the same file
      view.setUint32(from + 10, check(bytes), true);
      view.setUint32(from + 14, bytes.length, true);
      view.setUint32(from + 18, bytes.length, true);
      view.setUint16(from + 22, label.length, true);
      return view;
    };
    const local = header(30, 0x04034b50, 4);
    const central = header(46, 0x02014b50, 6);
    central.setUint16(4, 20, true);
    central.setUint32(42, offset, true);
    parts.push(local.buffer, label, bytes);
    directory.push(central.buffer, label);
    offset += 30 + label.length + bytes.length;
    length += 46 + label.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, length, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}

// ---- WebM: what a film of one video track needs of Matroska (RFC 9559) ----

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** An element: its id, its length in eight bytes, its content. */
function ebml(id: number, ...content: Uint8Array[]): Uint8Array {
  const body = joined(content);
  const head: number[] = [];
  for (let shift = 24; shift >= 0; shift -= 8) if (id >>> shift > 0) head.push((id >>> shift) & 255);
  const size = new DataView(new ArrayBuffer(8));
  size.setUint32(0, 0x01000000 + Math.floor(body.length / 0x100000000));
  size.setUint32(4, body.length >>> 0);
  return joined([Uint8Array.from(head), new Uint8Array(size.buffer), body]);
}

function unsigned(value: number): Uint8Array {
  return Uint8Array.from([24, 16, 8, 0].map((shift) => (value >>> shift) & 255));
}

function real(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return new Uint8Array(view.buffer);
}

const words = (value: string) => new TextEncoder().encode(value);

export type Chunk = { milliseconds: number; key: boolean; bytes: Uint8Array };

/** A film of encoded pictures. Each cluster begins with a picture that needs no other. */
export function webm(codec: string, width: number, height: number, milliseconds: number, chunks: Chunk[]): Blob {
  const clusters: Uint8Array[] = [];
  for (let i = 0; i < chunks.length; ) {
    const start = chunks[i].milliseconds;
    const blocks: Uint8Array[] = [];
    do {
      const { key, bytes } = chunks[i];
      const head = new DataView(new ArrayBuffer(4));
      head.setUint8(0, 0x81); // track 1
      head.setInt16(1, chunks[i].milliseconds - start);
      head.setUint8(3, key ? 0x80 : 0);
      blocks.push(ebml(0xa3, new Uint8Array(head.buffer), bytes));
      i++;
    } while (i < chunks.length && !chunks[i].key && chunks[i].milliseconds - start < 30000);
    clusters.push(ebml(0x1f43b675, ebml(0xe7, unsigned(start)), ...blocks));
  }
  const header = ebml(
    0x1a45dfa3,
    ebml(0x4286, unsigned(1)),
    ebml(0x42f7, unsigned(1)),
    ebml(0x42f2, unsigned(4)),
    ebml(0x42f3, unsigned(8)),
    ebml(0x4282, words("webm")),
    ebml(0x4287, unsigned(2)),
    ebml(0x4285, unsigned(2)),
  );
  const info = ebml(0x1549a966, ebml(0x2ad7b1, unsigned(1000000)), ebml(0x4489, real(milliseconds)), ebml(0x4d80, words("abut")), ebml(0x5741, words("abut")));
  const track = ebml(
    0xae,
    ebml(0xd7, unsigned(1)),
    ebml(0x73c5, unsigned(1)),
    ebml(0x83, unsigned(1)),
    ebml(0x86, words(codec)),
    ebml(0xe0, ebml(0xb0, unsigned(width)), ebml(0xba, unsigned(height))),
  );
  return new Blob([header, ebml(0x18538067, info, ebml(0x1654ae6b, track), ...clusters)] as BlobPart[], { type: "video/webm" });
}

/** The first codec that this browser encodes to; null: none. */
async function encoderFor(width: number, height: number, rate: number): Promise<{ config: VideoEncoderConfig; name: string } | null> {
  if (typeof VideoEncoder === "undefined") return null;
  for (const [codec, name] of [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]]) {
    const config = { codec, width, height, framerate: rate, bitrate: 12e6 };
    const answer = await VideoEncoder.isConfigSupported(config).catch(() => null);
    if (answer?.supported) return { config, name };
  }
  return null;
}

export function canRecord(): boolean {
  return typeof VideoEncoder !== "undefined" || (typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm"));
}

/** A film of what `paint` draws on a canvas, `rate` pictures per second: by the encoder of the browser, with times that are counted and
 * not taken from a clock; where it has none, by its recorder. */
export async function recordWebm(count: number, rate: number, paint: (index: number, canvas: HTMLCanvasElement) => Promise<void>): Promise<Blob> {
  const canvas = element("canvas");
  await paint(0, canvas);
  // Encoders take even sizes only.
  const width = canvas.width & ~1;
  const height = canvas.height & ~1;
  const encoder = await encoderFor(width, height, rate);
  if (!encoder) return recordByClock(canvas, count, rate, paint);
  const chunks: Chunk[] = [];
  let failure: Error | null = null;
  const video = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      chunks.push({ milliseconds: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", bytes });
    },
    error: (error) => (failure = error),
  });
  video.configure(encoder.config);
  for (let i = 0; i < count && !failure; i++) {
    await paint(i, canvas);
    const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * i) / rate), duration: Math.round(1e6 / rate), visibleRect: { x: 0, y: 0, width, height } });
    video.encode(frame, { keyFrame: i % 60 === 0 });
    frame.close();
    // Pictures that wait for the encoder are memory.
    while (video.encodeQueueSize > 4) await new Promise((done) => setTimeout(done, 5));
  }
  if (!failure) await video.flush();
  if (failure) throw failure;
  video.close();
  return webm(encoder.name, width, height, (1000 * count) / rate, chunks);
}

/** The same by MediaRecorder, picture by picture. */
async function recordByClock(
  canvas: HTMLCanvasElement,
  count: number,
  rate: number,
  paint: (index: number, canvas: HTMLCanvasElement) => Promise<void>,
): Promise<Blob> {
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise<void>((done) => (recorder.onstop = () => done()));
  recorder.start();
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await paint(i, canvas);
    track.requestFrame();
    // The recorder takes times from the clock.
    await new Promise((done) => setTimeout(done, Math.max(0, 1000 / rate - (performance.now() - started))));
  }
  recorder.stop();
  track.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}
