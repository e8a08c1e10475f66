#if HEIF
    import CImageCodecHEIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Rows of samples, decoded by libde265.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. The C functions check sizes.
    @safe final class HEIFPlanes {
        fileprivate let handle: OpaquePointer
        let format: heic_format
        /// The color in the HEVC data; unspecified for planes that were not decoded.
        private(set) var color = CodingColor()

        /// Decodes a picture of a sequence from its slices.
        init(decoding slices: Data, parameterSets: Data, as sequence: HEVCSequence) throws(DecodingFailure) {
            var handle: OpaquePointer?
            format = sequence.format
            let (wanted, parameterSets) = (format, [UInt8](parameterSets))
            let outcome = unsafe slices.withUnsafeBytes { slices in
                unsafe parameterSets.withUnsafeBytes { sets in
                    unsafe heic_planes_decode(
                        sets.baseAddress, sets.count, slices.baseAddress, slices.count, wanted, &handle)
                }
            }
            switch outcome {
            case heic_ok: break
            case heic_unsupported: throw .unsupported(.heic, "libde265 does not support this kind of image")
            case heic_out_of_memory: throw .unsupported(.heic, "libde265 could not allocate memory")
            default: throw .malformed(.heic, "libde265 rejected the data")
            }
            guard let handle = unsafe handle else { throw .malformed(.heic, "libde265 rejected the data") }
            unsafe self.handle = handle
            let code = unsafe heic_planes_color(handle)
            color = CodingColor(
                primaries: Int(code.primaries), transfer: Int(code.transfer), matrix: Int(code.matrix),
                isFullRange: code.is_full_range != 0)
        }

        /// Creates planes without rows for an image, with memory for `capacity` rows.
        init(size: PixelSize, format: heic_format, capacity: Int) throws(DecodingFailure) {
            var format = format
            format.width = CInt(size.width)
            format.height = CInt(size.height)
            guard let handle = unsafe heic_planes_create(format, CInt(capacity)) else {
                throw .unsupported(.heic, "no memory for the samples")
            }
            unsafe self.handle = handle
            self.format = format
        }

        deinit { unsafe heic_planes_close(handle) }

        /// Copies a tile below the rows that are present.
        func paste(_ tile: HEIFPlanes, at x: Int) throws(DecodingFailure) {
            guard unsafe heic_planes_paste(handle, tile.handle, CInt(x)) != 0 else {
                throw .malformed(.heic, "a tile does not fit")
            }
        }

        func addRows(_ count: Int) { unsafe heic_planes_add_rows(handle, CInt(count)) }

        func removeRows(above row: Int) { unsafe heic_planes_remove_rows(handle, CInt(row)) }
    }

    /// Converts samples to RGBA.
    struct HEIFConverter {
        private var conversion = heic_conversion()

        init(
            _ area: PixelArea, color: CodingColor, sequence: HEVCSequence, isPremultiplied: Bool
        ) throws(DecodingFailure) {
            let rgb = try color.conversion(bitDepth: sequence.bitDepth, isGray: sequence.chromaFormat == 0)
            conversion.left = CInt(area.left)
            conversion.top = CInt(area.top)
            conversion.width = CInt(area.width)
            conversion.height = CInt(area.height)
            conversion.is_premultiplied = isPremultiplied ? 1 : 0
            conversion.red = rgb[0].factors
            conversion.green = rgb[1].factors
            conversion.blue = rgb[2].factors
        }

        /// Writes output rows to `rgba`, which has memory for them.
        func convert(
            _ rows: Range<Int>, of color: HEIFPlanes, alpha: HEIFPlanes?, into rgba: inout [UInt8]
        ) throws(DecodingFailure) {
            precondition(rgba.count >= rows.count * Int(conversion.width) * 4)
            let isGood = unsafe rgba.withUnsafeMutableBufferPointer { target in
                unsafe withUnsafePointer(to: conversion) { conversion in
                    unsafe heic_convert(
                        color.handle, alpha?.handle, conversion, CInt(rows.lowerBound), CInt(rows.count),
                        target.baseAddress)
                }
            }
            if isGood == 0 { throw .unsupported(.heic, "no memory for the conversion to RGB") }
        }
    }

    extension [Double] {
        /// The four elements.
        fileprivate var factors: (Float, Float, Float, Float) {
            (Float(self[0]), Float(self[1]), Float(self[2]), Float(self[3]))
        }
    }

    extension HEVCSequence {
        /// The format of a decoded image.
        fileprivate var format: heic_format {
            let (across, down): (CInt, CInt) = [(0, 0), (2, 2), (2, 1), (1, 1)][chromaFormat]
            return heic_format(
                width: CInt(size.width), height: CInt(size.height), across: across, down: down,
                bit_depth: CInt(bitDepth))
        }
    }
#endif
