#if !canImport(ImageIO)
    public import ImageCore
    public import ImageDecoding
    public import ImageDecodingIsolation

    extension ImageWorker {
        /// Decodes images with `decoders`, if this process was started as a worker, and never returns. Otherwise returns at
        /// once.
        ///
        /// Call it first in `main`, before the program starts a thread or opens a file. Only with the trait `SVG`, a worker can
        /// read files: fonts and their settings.
        ///
        /// - Parameters:
        ///   - decoders: The decoders, in the order in which they are tried. A worker uses those of the formats that the
        ///     loader decodes.
        ///   - makeEncoder: Returns the encoder with a name, for `IsolatedDecoders.encoder`, or nil.
        ///   - wrap: Returns a decoder that changes what the decoder of these formats does.
        public static func runIfAsked(
            decoders: @autoclosure () -> [any ImageDecoder] = .all,
            makeEncoder: @escaping (String) -> (any ImageEncoder)? = { _ in nil },
            wrap: (DownsamplingDecoder) -> any SizedImageDecoder = { $0 }
        ) {
            runIfAsked(readableFolders: fonts, makeEncoder: makeEncoder) { setup in
                let decoders = decoders().filter { setup.formats.contains($0.format) }
                return wrap(DownsamplingDecoder.standard(decoders, limits: setup.limits))
            }
        }

        /// Where fontconfig finds fonts, its settings and its cache.
        private static var fonts: [String] {
            #if SVG
                [
                    "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts",
                    "/var/cache/fontconfig",
                ]
            #else
                []
            #endif
        }
    }
#endif
