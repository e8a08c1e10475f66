public import ImageCore

extension [any ImageDecoder] {
    /// The decoders of the formats that can only be sources in this build.
    public static var sources: [any ImageDecoder] {
        var decoders: [any ImageDecoder] = []
        #if SVG
            decoders.append(SVGDecoder())
        #endif
        return decoders
    }
}
