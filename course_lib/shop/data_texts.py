"""The shop's fixed texts: messages and help articles, in English and Spanish."""

from __future__ import annotations

# customer, time, text. Those of the active customer (1) come first; get_messages sees no others.
MESSAGES = [
    # today
    (1, "2026-11-20 11:20", "Has order 1042 left the warehouse? I would like to plan the delivery."),
    (1, "2026-11-20 09:05", "Necesito la factura del pedido 1042 a nombre de la cafetería."),
    # the last 7 days
    (1, "2026-11-19 16:40", "Is the espresso machine SKU-990 in stock? I want one for the office."),
    (1, "2026-11-18 10:15", "¿Cuánto cuesta el envío de 2.5 kg a Canadá?"),
    (1, "2026-11-16 18:30", "The delivery of order 1039 was a day late, but nothing was broken."),
    (1, "2026-11-14 08:50", "¿Puedo cambiar la dirección de entrega del pedido 1042?"),
    # the last 30 days
    (1, "2026-11-13 12:10", "Please send the invoice of order 1039 once more: the PDF was empty."),
    (1, "2026-11-11 17:45", "Gracias por el reembolso de la taza, ya lo veo en mi cuenta."),
    (1, "2026-11-07 09:30", "One blue mug of order 1036 arrived broken. Can I have a refund?"),
    (1, "2026-11-04 13:00", "When will the electric kettle be in stock again?"),
    (1, "2026-10-30 10:25", "¿Tenéis un descuento para diez cajas de regalo?"),
    (1, "2026-10-26 15:55", "Could the delivery come in the morning? We open at nine."),
    (1, "2026-10-22 08:15", "Quiero pagar con factura a fin de mes. ¿Es posible?"),
    # the last 365 days
    (1, "2026-10-21 19:05", "How long does green tea keep after the packet is opened?"),
    (1, "2026-10-13 11:40", "Please cancel order 1030: the kettle takes too long."),
    (1, "2026-09-29 09:20", "¿El envío a Chile tarda más de una semana?"),
    (1, "2026-09-12 16:10", "The invoice of order 1021 has the wrong address."),
    (1, "2026-09-06 10:00", "Order 1021 came a day late again. Is the delivery service that busy?"),
    (1, "2026-08-24 12:35", "¿Qué café va mejor con la prensa, molido o en grano?"),
    (1, "2026-08-03 18:00", "Thank you, the black tea of order 1017 is lovely."),
    (1, "2026-07-27 08:40", "¿Hacéis entregas los sábados?"),
    (1, "2026-07-09 14:15", "Do you give a discount for regular customers?"),
    (1, "2026-06-30 17:20", "I moved: please change my address for every delivery from now on."),
    (1, "2026-06-18 09:50", "La tetera tiene una grieta. Quiero una devolución."),
    (1, "2026-06-02 11:05", "Can I return a coffee grinder that I have used once?"),
    (1, "2026-05-21 13:30", "¿Dónde está mi pedido? La entrega era para ayer."),
    (1, "2026-05-05 10:45", "Please send me the invoices of the whole of April."),
    (1, "2026-04-16 16:25", "¿Cuánto cuesta el envío de una caja de regalo a México?"),
    (1, "2026-03-30 08:30", "Is the water of 80 degrees right for green tea?"),
    (1, "2026-03-11 12:00", "The delivery left the parcel in the rain; the gift box is ruined."),
    (1, "2026-02-25 18:45", "Quiero un reembolso por la caja de regalo mojada."),
    (1, "2026-02-02 09:10", "Which coffee beans do you suggest for an espresso machine?"),
    (1, "2026-01-15 15:35", "No encuentro la factura de diciembre en mi cuenta."),
    (1, "2025-12-22 10:20", "Will the delivery still arrive before the holidays?"),
    (1, "2025-11-21 12:50", "¿Tenéis tazas blancas sin logotipo?"),
    # longer ago
    (1, "2025-11-20 12:50", "Do you sell gift cards?"),
    (1, "2025-10-28 09:00", "¿Se puede recoger un pedido en la tienda?"),
    (1, "2025-09-17 14:40", "The invoice shows two mugs, but I ordered three."),
    (1, "2025-08-05 11:15", "¿Qué té me recomendáis para la tarde?"),
    (1, "2025-07-22 17:30", "My first delivery has arrived. Everything is perfect."),
    (1, "2025-07-14 10:05", "Quiero pedir té verde y una tetera. ¿Por dónde empiezo?"),
    (1, "2025-06-30 08:55", "I forgot my password. How do I get into my account?"),
    # other customers
    (2, "2026-11-18 12:20", "¿Puedo recoger el pedido 1040 en la tienda?"),
    (5, "2026-11-17 09:45", "Is the espresso machine quiet?"),
    (7, "2026-11-17 20:10", "Please cancel order 1045. I found my old coffee press."),
    (6, "2026-11-15 13:25", "¿Los vasos de té se pueden lavar a máquina?"),
    (9, "2026-11-12 16:00", "The delivery was a day early. Thank you!"),
    (12, "2026-10-16 10:30", "El pedido 1028 llegó tres días tarde."),
    (4, "2026-09-26 11:50", "Un vaso tiene una raya. ¿Me pueden enviar otro?"),
    (3, "2026-08-27 15:15", "Four white mugs arrived, all in one piece."),
]

# language, title, body
HELP_ARTICLES = [
    (
        "en",
        "Return a product",
        "You can return any unopened product within 30 days of delivery. Open a ticket of the category "
        "product with the order number; we send you a label. Opened tea and coffee cannot be returned.",
    ),
    (
        "es",
        "Devolver un producto",
        "Puedes devolver cualquier producto sin abrir en los 30 días siguientes a la entrega. Abre un "
        "tique de la categoría product con el número de pedido y te enviamos una etiqueta. El té y el "
        "café abiertos no admiten devolución.",
    ),
    (
        "en",
        "When a refund arrives",
        "We refund to the card or account that you paid with. The money arrives within 5 working days "
        "after we have received the product, or at once if it arrived broken. A refund is "
        "possible until 30 days after delivery; above 100 dollars for an order, a person decides.",
    ),
    (
        "es",
        "Cuándo llega un reembolso",
        "El reembolso se hace a la tarjeta o cuenta con la que pagaste. El dinero llega en 5 días "
        "laborables desde que recibimos el producto, o enseguida si llegó roto. El reembolso es "
        "posible hasta 30 días después de la entrega; de más de 100 dólares por pedido decide una persona.",
    ),
    (
        "en",
        "Something arrived broken",
        "Open a ticket of the category refund within 7 days and say what is damaged. You choose between a "
        "refund and a new piece; you need not send the broken one back.",
    ),
    (
        "es",
        "Algo llegó roto",
        "Abre un tique de la categoría refund en los 7 días siguientes y di qué está dañado. Puedes "
        "elegir entre el reembolso y una pieza nueva; no hace falta devolver la rota.",
    ),
    (
        "en",
        "Shipping costs and times",
        "Shipping costs 8.50 dollars per kilogram to the United States and Canada and takes 3 days; to "
        "any other country it costs 14.00 dollars per kilogram and takes 6 days. A parcel weighs 30 kg at "
        "most.",
    ),
    (
        "es",
        "Costes y plazos de envío",
        "El envío cuesta 8.50 dólares por kilogramo a Estados Unidos y Canadá y tarda 3 días; a cualquier "
        "otro país cuesta 14.00 dólares por kilogramo y tarda 6 días. Un paquete pesa como máximo 30 kg.",
    ),
    (
        "en",
        "Follow an order",
        "An order is placed, paid, shipped and then delivered. From the day it is shipped you can track "
        "the parcel in your account. If it is more than 3 days late, open a ticket.",
    ),
    (
        "es",
        "Seguir un pedido",
        "Un pedido pasa por recibido, pagado, enviado y entregado. Desde el día del envío puedes seguir "
        "el paquete en tu cuenta. Si lleva más de 3 días de retraso, abre un tique.",
    ),
    (
        "en",
        "Cancel an order",
        "You can cancel an order free of charge until it is shipped. After that, return it when it has "
        "arrived.",
    ),
    (
        "es",
        "Cancelar un pedido",
        "Puedes cancelar un pedido sin coste hasta que se envía. Después, devuélvelo cuando haya llegado.",
    ),
    (
        "en",
        "Invoices and VAT",
        "Your account keeps an invoice of each order as a PDF. Prices are without VAT; the standard rate "
        "is 20 percent. For an invoice in a company name, add the name before you pay.",
    ),
    (
        "es",
        "Facturas e IVA",
        "En tu cuenta hay una factura en PDF de cada pedido. Los precios no incluyen el IVA; el tipo "
        "general es del 20 por ciento. Para una factura a nombre de una empresa, añade el nombre antes de "
        "pagar.",
    ),
    (
        "en",
        "Ways to pay",
        "You can pay by card or by bank transfer. Companies with more than ten orders can pay at the end "
        "of the month.",
    ),
    (
        "es",
        "Formas de pago",
        "Puedes pagar con tarjeta o por transferencia. Las empresas con más de diez pedidos pueden pagar "
        "a fin de mes.",
    ),
    (
        "en",
        "Change an address",
        "You can change the delivery address of an order in your account until it is shipped. The new "
        "address also holds for later orders if you tick the box.",
    ),
    (
        "es",
        "Cambiar una dirección",
        "Puedes cambiar la dirección de entrega de un pedido en tu cuenta hasta que se envía. La "
        "dirección nueva vale también para pedidos posteriores si marcas la casilla.",
    ),
    (
        "en",
        "Discounts and gift boxes",
        "From ten gift boxes on, every box is 10 percent cheaper. Regular customers get a discount code "
        "each spring. We do not sell gift cards.",
    ),
    (
        "es",
        "Descuentos y cajas de regalo",
        "A partir de diez cajas de regalo, cada caja cuesta un 10 por ciento menos. Los clientes "
        "habituales reciben un código de descuento cada primavera. No vendemos tarjetas de regalo.",
    ),
]
